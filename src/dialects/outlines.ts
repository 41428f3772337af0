import type { DialectOutline } from './dialect.ts';
import { kodeletOutline, kodeletStrictOutline } from './kodelet/outline.ts';
import { llxprtOutline } from './llxprt/outline.ts';

/** Every dialect that we speak, as far as it is asked before a hook runs. */
export const outlines: readonly DialectOutline[] = [
  llxprtOutline,
  kodeletOutline,
  kodeletStrictOutline,
];

/** Of the dialects whose hooks run by default: this one in the place of that which finds the same hooks. */
export const defaultOutlinesWith = (dialect: DialectOutline): readonly DialectOutline[] =>
  [llxprtOutline, kodeletOutline].map((known) => (findSame(known, dialect) ? dialect : known));

/** Whether two dialects read the same hooks, so that only one of them may. */
export const findSame = (one: DialectOutline, other: DialectOutline): boolean =>
  one.family === other.family;
