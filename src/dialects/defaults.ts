import { mayHoldHooks } from './claude-code/places.ts';
import type { Dialect } from './dialect.ts';
import { hookmachine } from './hookmachine/index.ts';
import { kodelet } from './kodelet/index.ts';
import { llxprt } from './llxprt/index.ts';

/** Those whose hooks run unless the host says otherwise (S-14). */
export const defaultDialects: readonly Dialect[] = [llxprt, hookmachine, kodelet];

/** Whether hooks of a family of dialects may be there, which is known without loading those that are not in use. */
export const families: readonly Pick<Dialect, 'family' | 'mayBeIn'>[] = [
  ...defaultDialects,
  { family: 'claude-code', mayBeIn: mayHoldHooks },
];
