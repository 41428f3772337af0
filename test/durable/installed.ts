import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import '../build.ts';

/** The folder in which `pg` is installed, with a package.json and a lock file of its own. */
export const folder = fileURLToPath(new URL('./', import.meta.url));

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Whether `pg` is installed here: `npm run durable` installs it, `npm test` does not. */
export const isInstalled: boolean = existsSync(join(folder, 'node_modules', 'pg'));

/** Whether all cases run, as in `npm run durable`; `npm test` runs only a few. */
export const isWhole: boolean = process.env['DURABLE'] === 'all';

/**
 * Installs the built package beside `pg`, as a user would, and returns the path of its command. Several test
 * files may do so at the same time.
 */
export function installBuilt(at: string = folder): string {
  const modules = join(at, 'node_modules');
  const name = `.hookmachine-${statSync(join(root, 'dist/hookmachine-bundle.js')).mtimeMs}`;
  if (!existsSync(join(modules, name))) {
    const draft = mkdtempSync(join(modules, '.draft-'));
    for (const part of ['package.json', 'dist'])
      cpSync(join(root, part), join(draft, part), { recursive: true });
    try {
      renameSync(draft, join(modules, name));
    } catch {
      // Another test file was faster.
      rmSync(draft, { recursive: true });
    }
  }
  const link = join(modules, 'hookmachine');
  const isThere = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isThere || readlinkSync(link) !== name) {
    if (!isThere) rmSync(link, { recursive: true, force: true });
    symlinkSync(name, `${link}-${process.pid}`);
    renameSync(`${link}-${process.pid}`, link);
    const isOld = (other: string): boolean => other.startsWith('.hookmachine-') && other !== name;
    for (const other of readdirSync(modules).filter(isOld))
      rmSync(join(modules, other), { recursive: true, force: true });
  }
  return join(link, 'dist', 'hookmachine.cjs');
}
