import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import '../build.ts';

const root = new URL('../../', import.meta.url);
const { bin } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly bin: { readonly hookmachine: string };
};

/**
 * The command as somebody installed it, if `npm run package` had it installed: then all cases run through it
 * (see again.ts).
 */
export const installed: string | undefined = process.env['INSTALLED'];

/** The built command, as the package names it: it takes the events of a relay to the warm process. */
export const starter = installed ?? fileURLToPath(new URL(bin.hookmachine, root));

/** What it starts with Node.js. */
export const main = `${starter}.cjs`;
