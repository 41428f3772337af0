import type { AnswerStreamOutcome } from '../../../machines/answer-stream.ts';
import type { AgentTurnOutcome } from '../../../machines/agent-turn.ts';
import type { HookEventOutcome, HookVerdict } from '../../../machines/hook-event.ts';
import type { HookProcessOutcome } from '../../../machines/hook-process.ts';
import type { ModelCallOutcome } from '../../../machines/model-call.ts';
import type { RefusedBy, ToolCallOutcome } from '../../../machines/tool-call.ts';
import { messageOf } from '../../base/message-of.ts';
import type { EventVerdict } from '../../core/answers/results.ts';
import { makeEmptySuccessResult, type AggregatedHookResult } from '../../core/answers/results.ts';
import { defined, isRecord } from '../../base/json.ts';
import type { EndedEntry, TokenCounts, VerdictEntry } from './entry.ts';
import { longestName } from './beginning.ts';
import { longestReason, plainDenial, plainField } from './hook-answer.ts';
import type { Redactor } from '../../settings/redaction/redactor.ts';
import { reasonOf, stopReasonOf } from '../../core/answers/reasons.ts';

/** The outcomes of all machines. */
export type Outcome =
  | AgentTurnOutcome
  | ModelCallOutcome
  | ToolCallOutcome
  | HookEventOutcome
  | AnswerStreamOutcome
  | HookProcessOutcome;

/** Returns how a machine ended, as the journal records it. */
export function ending(
  outcome: Outcome,
  { text, value }: Redactor,
  payloads: boolean,
): Omit<EndedEntry, 'kind' | 'at' | 'id'> {
  const reason = payloads ? endReasonOf(outcome) : plainReasonOf(outcome);
  const payload = payloads ? resultOf(outcome) : undefined;
  const usage = usageOf(outcome);
  return {
    status: outcome.status,
    ...(usage && { usage }),
    ...(reason !== undefined && reason !== '' && { reason: text(reason, longestReason) }),
    ...(hasFailed(outcome) && { failed: true }),
    ...(payload !== undefined && { payload: value(payload) }),
  };
}

/** The tokens that the answer of a model cost; undefined if nobody counted them. */
function usageOf(outcome: Outcome): TokenCounts | undefined {
  if (!('response' in outcome) || !isRecord(outcome.response)) return undefined;
  const { usageMetadata: usage } = outcome.response;
  if (!isRecord(usage)) return undefined;
  const count = (key: string): number | undefined => {
    const value = usage[key];
    return typeof value === 'number' && value >= 0 ? value : undefined;
  };
  const [input = 0, output = 0] = [count('promptTokenCount'), count('candidatesTokenCount')];
  if (input + output === 0) return undefined;
  const [cached, thinking] = [count('cachedContentTokenCount'), count('thoughtsTokenCount')];
  return { input, output, ...(cached && { cached }), ...(thinking && { thinking }) };
}

const hasFailed = (outcome: Outcome): boolean =>
  'result' in outcome && isRecord(outcome.result) && outcome.result['error'] !== undefined;

/** Without payloads, an ending has the reasons of hooks and of limits, but no one else's words. */
function plainReasonOf(outcome: Outcome): string | undefined {
  switch (outcome.status) {
    case 'blocked':
      return plainDenial(resultOfPhase(denyingPhase(outcome)) ?? {}, decisionReason(outcome));
    case 'answered':
    case 'stopped':
    case 'timedOut':
      return endReasonOf(outcome);
    case 'refused':
      return refusals[outcome.by];
    default:
      return undefined;
  }
}

/** Why a tool call was refused, by who refused it. */
const refusals: Readonly<Record<RefusedBy, string>> = {
  selection: 'hooks do not offer this tool',
  user: 'the user said no',
  expiry: 'nobody answered in time',
};

function endReasonOf(outcome: Outcome): string | undefined {
  if ('reason' in outcome) return outcome.reason;
  if ('error' in outcome) return messageOf(outcome.error);
  return decisionReason(outcome);
}

const denyingPhase = (outcome: Outcome): Phase | undefined => textOf(outcome) ?? before(outcome);

function decisionReason(outcome: Outcome): string | undefined {
  switch (outcome.status) {
    case 'timedOut':
      return `It took more than ${outcome.timeout} ms.`;
    case 'blocked':
    case 'answered':
      return denialOf(resultOfPhase(denyingPhase(outcome)));
    case 'stopped': {
      const phases = [
        before(outcome),
        textOf(outcome),
        'after' in outcome ? outcome.after : undefined,
        'selection' in outcome ? outcome.selection : undefined,
      ];
      const stopping = phases
        .map((phase) => resultOfPhase(phase)?.verdict)
        .find((verdict) => verdict?.stop);
      return stopping && stopReasonOf(stopping);
    }
    default:
      return undefined;
  }
}

function resultOf(outcome: Outcome): unknown {
  if ('result' in outcome) return outcome.result;
  if ('response' in outcome) return outcome.response;
  return 'verdict' in outcome
    ? (outcome.verdict as Partial<EventVerdict>).result?.finalOutput
    : undefined;
}

type Phase = Pick<HookEventOutcome, 'verdict'>;

const before = (outcome: Outcome): Phase | undefined =>
  'before' in outcome ? outcome.before : undefined;

/** The decision of hooks about an answer's text as it came. */
const textOf = (outcome: Outcome): Phase | undefined =>
  'blocks' in outcome ? outcome : 'stream' in outcome ? outcome.stream : undefined;

/** The engine's machines end with a complete result; a machine run on its own may not. */
const resultOfPhase = (phase: Phase | undefined): AggregatedHookResult | undefined =>
  (phase?.verdict as Partial<EventVerdict> | undefined)?.result;

const denialOf = (result: AggregatedHookResult | undefined): string | undefined =>
  result?.finalOutput?.getBlockReason();

/** Returns what the hooks of an event decided together, as the journal records it. */
export function verdictOf(
  { verdict }: Phase,
  { text }: Redactor,
  payloads: boolean,
): Omit<VerdictEntry, 'kind' | 'at' | 'id'> {
  const { blocked, stop, ask, defer, approved, result } = verdict as HookVerdict &
    Partial<EventVerdict>;
  const joint = result ?? makeEmptySuccessResult();
  const { setBy, conflicts } = joint;
  const stopping = stop ? stopReasonOf(joint.verdict) : undefined;
  const open = ask || defer ? reasonOf(joint.verdict) : undefined;
  const denial = denialOf(result);
  const reason = blocked
    ? payloads
      ? denial
      : plainDenial(result ?? {}, denial)
    : (stopping ?? open);
  const stopBy = stop ? setBy['continue'] : undefined;
  const by = blocked ? setBy['decision'] : stopBy;
  const name = (hook: string): string => text(hook, longestName);
  const named = (field: string): string => text(payloads ? field : plainField(field), longestName);
  return defined<Omit<VerdictEntry, 'kind' | 'at' | 'id'>>({
    blocked,
    stop,
    ask: ask ? true : undefined,
    defer: defer ? true : undefined,
    approved: approved ? true : undefined,
    reason: reason === undefined ? undefined : text(reason, longestReason),
    by: by === undefined ? undefined : name(by),
    stopBy: stopBy === undefined ? undefined : name(stopBy),
    stopReason: stopping === undefined ? undefined : text(stopping, longestReason),
    setBy: Object.fromEntries(
      Object.entries(setBy).map(([field, hook]) => [named(field), name(hook)]),
    ),
    conflicts: conflicts.map(({ field, hooks, winner }) => ({
      field: named(field),
      hooks: hooks.map(name),
      winner: name(winner),
    })),
  });
}
