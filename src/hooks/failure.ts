import { failureDenial } from '../dialects/process-facts.ts';
import type { HookEventName } from '../protocol/events.ts';
import { createSpecificHookOutput } from '../translate/create-hook-output.ts';
import { errorOf, messageOf } from './message-of.ts';
import type { AggregatedHookResult } from './results.ts';

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

/**
 * The result of an event whose hooks could not be run: no success, and the caller proceeds (C-91,
 * DELTA-HFAIL-001). The one place where such a result is made.
 *
 * @example
 * buildFailureEnvelope(new Error('no such folder'), 'execution', { event: 'BeforeTool' }).failure;
 * // { event: 'BeforeTool', stage: 'execution', message: 'no such folder' }
 */
export function buildFailureEnvelope(
  error: unknown,
  stage: HookStage,
  meta: Omit<HookFailure, 'stage' | 'message'> = {},
): AggregatedHookResult & { readonly failure: HookFailure } {
  const cause = errorOf(error);
  return {
    success: false,
    allOutputs: [],
    errors: [cause],
    totalDuration: 0,
    plan: null,
    results: [],
    conflicts: [],
    setBy: {},
    failure: { ...meta, stage, message: messageOf(cause) },
  };
}

/** Such a result where `guard` was among the hooks, whose failure denies. */
export const denyingEnvelope = (
  error: unknown,
  stage: HookStage,
  event: HookEventName,
  guard: string,
): ReturnType<typeof buildFailureEnvelope> => {
  const envelope = buildFailureEnvelope(error, stage, { event });
  const denial = failureDenial(guard, envelope.failure.message);
  return {
    ...envelope,
    finalOutput: createSpecificHookOutput(denial, event),
    setBy: { decision: guard },
  };
};
