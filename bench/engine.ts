import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type * as xstate from 'xstate';
import type * as engine from '../dist/src/index.js';

/** Our engine as built: `dist` of the folder above, or in `BENCH_DIST` another build to compare with. */
export const distFolder =
  process.env['BENCH_DIST'] ?? new URL('../../dist', import.meta.url).pathname;

const main = `${distFolder}/src/index.js`;

/** The built package. */
export const loadEngine = (): Promise<typeof engine> =>
  import(pathToFileURL(main).href) as Promise<typeof engine>;

/** The copy of XState that the engine uses. */
export const loadXState = (): Promise<typeof xstate> =>
  import(pathToFileURL(createRequire(main).resolve('xstate')).href) as Promise<typeof xstate>;
