import type { Dialect } from './dialect.ts';
import { kodelet, kodeletStrict } from './kodelet/index.ts';
import { llxprt } from './llxprt/index.ts';

/** Every dialect that we speak. */
export const knownDialects: readonly Dialect[] = [llxprt, kodelet, kodeletStrict];

/** Those whose hooks run unless the host says otherwise. */
export const defaultDialects: readonly Dialect[] = [llxprt, kodelet];
