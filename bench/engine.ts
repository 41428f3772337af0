import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as xstate from 'xstate';
import type * as machineEntry from '../dist/src/entries/machines.js';
import type * as engine from '../dist/src/index.js';

/** Our engine as built: `dist` of the parent folder, or another build to compare with in `BENCH_DIST`. */
export const distFolder =
  process.env['BENCH_DIST'] ?? new URL('../../dist', import.meta.url).pathname;

/** The command of that build, as its package names it. */
export const starterFile = join(distFolder, '..', binOf(join(distFolder, '../package.json')));

/** What it starts with Node.js. */
export const commandFile = starterFile.endsWith('.cjs') ? starterFile : `${starterFile}.cjs`;

const main = `${distFolder}/src/index.js`;
const machines = `${distFolder}/src/entries/machines.js`;

/** The built package. */
export const loadEngine = (): Promise<typeof engine> =>
  import(pathToFileURL(main).href) as Promise<typeof engine>;

/** The machines of that package. */
export const loadMachines = (): Promise<typeof machineEntry> =>
  import(pathToFileURL(machines).href) as Promise<typeof machineEntry>;

/** The copy of XState that the engine uses. */
export const loadXState = (): Promise<typeof xstate> =>
  import(pathToFileURL(createRequire(main).resolve('xstate')).href) as Promise<typeof xstate>;

function binOf(packageFile: string): string {
  const { bin } = JSON.parse(readFileSync(packageFile, 'utf8')) as { bin: { hookmachine: string } };
  return bin.hookmachine;
}
