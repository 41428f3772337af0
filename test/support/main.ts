import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import '../build.ts';

const root = new URL('../../', import.meta.url);
const { bin } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly bin: { readonly hookmachine: string };
};

/** The built command, as the package names it. */
export const main = fileURLToPath(new URL(bin.hookmachine, root));
