import type { Dialect } from './dialect.ts';
import { kodelet, kodeletStrict } from './kodelet/index.ts';
import { llxprt } from './llxprt/index.ts';

/** Every dialect that we speak. */
export const knownDialects: readonly Dialect[] = [llxprt, kodelet, kodeletStrict];

/** Those whose hooks run unless the host says otherwise (S-14). */
export const defaultDialects: readonly Dialect[] = [llxprt, kodelet];

/** Of the dialects whose hooks run by default: this one in the place of that which finds the same hooks. */
export const defaultDialectsWith = (dialect: Dialect): readonly Dialect[] =>
  defaultDialects.map((known) => (findSame(known, dialect) ? dialect : known));

/** Whether two dialects read the same hooks, so that only one of them may. */
export const findSame = (one: Dialect, other: Dialect): boolean => one.family === other.family;
