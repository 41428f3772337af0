import { failureDenial } from '../dialects/process-facts.ts';
import { emptyVerdict } from '../dialects/merge-effects.ts';
import type { Verdict } from '../dialects/verdict.ts';
import type { HookEventName } from '../protocol/events.ts';
import { createSpecificHookOutput } from '../translate/model-outputs.ts';
import { deniesUnheard } from './denies-unheard.ts';
import { errorOf, messageOf } from '../message-of.ts';
import type { HookFailure, HookStage } from '../verdict/hook-failure.ts';
import type { HookHost } from './config.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';

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
    verdict: emptyVerdict,
    conflicts: [],
    setBy: {},
    failure: { ...meta, stage, message: messageOf(cause) },
  };
}

const denying = (reason: string): Verdict => ({ ...emptyVerdict, decision: 'deny', reason });

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
    verdict: denying(denial.reason),
    setBy: { decision: guard },
  };
};

/** The denial of an event whose guards are unknown; `file` is where they should stand. */
export const refusingEnvelope = (
  problem: string,
  event: HookEventName,
  file = 'settings',
): ReturnType<typeof buildFailureEnvelope> => {
  const denial = { decision: 'deny', reason: `Blocked because of ${problem}` } as const;
  return {
    ...buildFailureEnvelope(new Error(problem), 'planning', { event }),
    finalOutput: createSpecificHookOutput(denial, event),
    verdict: denying(denial.reason),
    setBy: { decision: file },
  };
};

/** Whether an event is blocked where its hooks cannot be run, as the host wants it. */
export const isBlockedUnready = (config: HookHost, event: HookEventName): boolean =>
  config.onUnready === 'block' && deniesUnheard(event);

/** The result of an event whose hooks could not be run, where that blocks. */
export const unreadyEnvelope = (
  error: unknown,
  stage: HookStage,
  event: HookEventName,
): ReturnType<typeof buildFailureEnvelope> => {
  const envelope = buildFailureEnvelope(error, stage, { event });
  const reason = `Blocked because the hooks could not be run: ${envelope.failure.message}`;
  return {
    ...envelope,
    finalOutput: createSpecificHookOutput({ decision: 'deny', reason }, event),
    verdict: denying(reason),
  };
};
