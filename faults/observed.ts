import type { Decided } from './engine.ts';

/** What was observed in a run. */
export interface Observed {
  /** Absent if the call did not settle within a reasonable time. */
  readonly decided?: Decided;
  readonly ms: number;
  readonly processes: number;
  readonly descriptors: number;
  readonly reported: readonly string[];
  /** Errors that nobody caught. */
  readonly uncaught: readonly string[];
}
