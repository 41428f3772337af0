import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./', import.meta.url));

/**
 * The frameworks that are tested with their published packages; each has a folder with a package.json and a
 * lock file.
 */
export const frameworks: readonly string[] = readdirSync(folder).filter((name) =>
  existsSync(join(folder, name, 'package.json')),
);

/** The folder of a framework. */
export const folderOf = (name: string): string => join(folder, name);

/** The folder of a framework's package, if it is installed. */
export function packageOf(framework: string, name: string): string | undefined {
  const path = join(folder, framework, 'node_modules', name);
  return existsSync(path) ? path : undefined;
}

/**
 * Whether all cases run, as in `npm run frameworks`; `npm test` runs a short one for each framework that is
 * installed.
 */
export const isWhole = process.env['FRAMEWORKS'] === 'all';
