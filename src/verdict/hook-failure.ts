import type { HookEventName } from '../protocol/events.ts';

/** The stages an event goes through; the first two only when it comes from outside (DELTA-HFAIL-002). */
export type HookStage =
  | 'validation'
  | 'translation'
  | 'planning'
  | 'formatting'
  | 'execution'
  | 'aggregation';

/** Where an event got stuck, and what else is known of it. */
export interface HookFailure {
  readonly stage: HookStage;
  readonly message: string;
  readonly event?: HookEventName;
}
