import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that has `pg`, by a package.json and a lock file of its own. */
export const folder = fileURLToPath(new URL('./', import.meta.url));

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Whether `pg` was installed here: `npm run durable` does that, and `npm test` does not. */
export const isInstalled: boolean = existsSync(join(folder, 'node_modules', 'pg'));

/** Whether all cases are to run, as in `npm run durable`; `npm test` runs a short one. */
export const isWhole: boolean = process.env['DURABLE'] === 'all';

/** Installs the built package beside `pg`, as a user would have the two, and gives the path of its command. */
export function installBuilt(): string {
  const installed = join(folder, 'node_modules', 'hookmachine');
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  for (const part of ['package.json', 'dist'])
    cpSync(join(root, part), join(installed, part), { recursive: true });
  return join(installed, 'dist', 'hookmachine.cjs');
}
