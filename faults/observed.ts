import type { Decided } from './engine.ts';

/** What came of it. */
export interface Observed {
  /** Absent when the call did not settle in any sensible time. */
  readonly decided?: Decided;
  readonly ms: number;
  readonly processes: number;
  readonly descriptors: number;
  readonly told: readonly string[];
  /** Whether the machine had other work meanwhile, so that how late a timer was says nothing. */
  readonly isBusy?: boolean;
  /** What nobody caught. */
  readonly uncaught: readonly string[];
  /** What became of the shell that was ready for the hook; absent where there was none. */
  readonly readyShell?: 'is taken' | 'is left';
}
