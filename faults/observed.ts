import type { Decided } from './engine.ts';

/** What came of it. */
export interface Observed {
  /** Absent when the call did not settle in any sensible time. */
  readonly decided?: Decided;
  readonly ms: number;
  readonly processes: number;
  readonly descriptors: number;
  readonly reported: readonly string[];
  /** What nobody caught. */
  readonly uncaught: readonly string[];
}
