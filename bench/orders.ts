import type { EventScenario } from './scenario.ts';

/** What a contestant's process has to do; it answers each order with numbers. */
export type Order =
  /** Prepares the scenario and fires one event; returns no numbers. */
  | { readonly type: 'open'; readonly scenario: EventScenario; readonly cwd: string }
  /** Times this many samples: µs per event. */
  | { readonly type: 'time'; readonly samples: number }
  /** Returns the bytes in use after each of the blocks of events. */
  | ({ readonly type: 'keep' } & KeepEffort);

/** How many events are observed for what they keep. */
export interface KeepEffort {
  /** Events before the first block, for what comes with the first of them and remains. */
  readonly warmUp: number;
  readonly blocks: number;
  /** In each block. */
  readonly events: number;
}

/** Numbers, or why there are none. */
export type Report = { readonly numbers: readonly number[] } | { readonly error: string };
