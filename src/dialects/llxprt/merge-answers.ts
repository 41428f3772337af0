import type { HookPayload } from '../../../machines/hook-event.ts';
import { hookPointOf, type HookEventName, type Slot } from '../../hook-points.ts';
import { isRecord } from '../../protocol/output.ts';
import type { Change, Verdict } from '../verdict.ts';
import type { Answer } from '../answer.ts';
import type { NamedAnswer } from '../dialect.ts';
import { emptyVerdict } from '../merge-effects.ts';
import type { MergedOutputs } from './merge-common.ts';
import { mergeOr } from './merge-or.ts';
import { mergeReplacing } from './merge-replace.ts';
import { mergeUnion } from './merge-union.ts';

/**
 * The answers of an event's hooks, in plan order, as one verdict. What a failed hook printed is left
 * out (C-27), unless its failure denies.
 */
export function mergeAnswers(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  _payload?: HookPayload,
): Verdict {
  const heard = answers.filter(
    ({ answer }) =>
      (answer.status === 'ok' || answer.decision === 'deny') && answer.output !== undefined,
  );
  return heard.length === 0 ? emptyVerdict : verdictOf(event, heard, mergeOutputs(event, heard));
}

/** Their outputs, by the rules of the event. */
export function mergeOutputs(event: HookEventName, answers: readonly NamedAnswer[]): MergedOutputs {
  switch (event) {
    case 'BeforeModel':
      return mergeReplacing(answers, { answerNeedsBlock: true });
    case 'AfterModel':
    case 'SessionEnd':
    case 'PreCompress':
    case 'Notification':
      return mergeReplacing(answers, { answerNeedsBlock: false });
    case 'BeforeToolSelection':
      return mergeUnion(answers);
    default:
      return mergeOr(answers);
  }
}

/** Fields of `hookSpecificOutput` that say something of all events, or of the decision. */
const common: readonly string[] = [
  'additionalContext',
  'permissionDecision',
  'permissionDecisionReason',
];

function verdictOf(
  event: HookEventName,
  answers: readonly NamedAnswer[],
  { output, conflicts, setBy }: MergedOutputs,
): Verdict {
  const { slots } = hookPointOf(event);
  const specific = Object.entries(output.hookSpecificOutput ?? {});
  const isSlot = (name: string): name is Slot => (slots as readonly string[]).includes(name);
  const changes: Partial<Record<Slot, Change>> = {};
  const own: [string, unknown][] = [];
  for (const [name, value] of specific)
    if (isSlot(name) && isRecord(value)) changes[name] = { patch: value };
    else if (!common.includes(name)) own.push([name, value]);
  const context = output.hookSpecificOutput?.['additionalContext'];
  const decision = strictest(answers.map(({ answer }) => answer.decision));
  return {
    ...(decision && { decision }),
    ...(output.reason && { reason: output.reason }),
    stop: output.continue === false,
    ...(output.stopReason && { stopReason: output.stopReason }),
    ...(typeof context === 'string' && context !== '' && { context }),
    ...(output.systemMessage && { message: output.systemMessage }),
    hide: output.suppressOutput === true,
    changes,
    followUps: [],
    // A hook may name a field `__proto__`.
    own: Object.fromEntries(own),
    conflicts,
    setBy,
    output,
  };
}

const strictest = (given: readonly Answer['decision'][]): Answer['decision'] =>
  (['deny', 'ask', 'allow'] as const).find((decision) => given.includes(decision));
