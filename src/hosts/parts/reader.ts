import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookExit, HookProcessOutcome } from '../../../machines/hook-process.ts';
import {
  type Answer,
  defaultReason,
  type Effect,
  type Ignored,
  type Wants,
} from '../../core/answers/answer.ts';
import { readOutcome, unawaitedAnswer } from '../../core/answers/process-facts.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { fieldsOf } from '../../base/json.ts';
import { withLostDenial } from './near-misses.ts';
import { textIn } from './said.ts';

/** How the answers of a host's hooks are read. */
interface Reading<Event> {
  /** The host's display name. */
  readonly host: string;
  readonly eventOf: (hook: Pick<HookDefinition, 'event' | 'nativeEvent'>) => Event;
  readonly readExit: (
    event: Event,
    exit: HookExit,
    payload: HookPayload,
    hook: HookDefinition,
  ) => Answer;
  /** What counts of the answer of a hook that nobody waits for, in a host that has such hooks. */
  readonly unawaited?: (answer: Answer, hook: HookDefinition) => readonly Effect[];
  /** Whether nobody waits for a hook; default: if its definition says so. */
  readonly isUnawaited?: (answer: Answer, hook: HookDefinition) => boolean;
}

/** Returns the function that reads the answer of a hook that has ended. */
export const readerOf =
  <Event>({ host, eventOf, readExit, unawaited, isUnawaited }: Reading<Event>) =>
  (hook: HookDefinition, outcome: HookProcessOutcome, payload: HookPayload): Answer => {
    const event = eventOf(hook);
    const answer = readOutcome(outcome, (exit) => readExit(event, exit, payload, hook), { host });
    const isWaitedFor = !(isUnawaited?.(answer, hook) ?? hook.async);
    if (isWaitedFor || unawaited === undefined) return withLostDenial(answer);
    const effects = unawaited(answer, hook);
    const plainText = answer.plainText && effects.length > 0;
    return { ...unawaitedAnswer(answer, effects), plainText };
  };

/** Marks a part of an answer that its host would not obey. */
export const ignoredBy =
  (host: string) =>
  (why: string, fix?: string, what: Ignored['what'] = 'denial'): Pick<Wants, 'ignored'> => ({
    ignored: { host, what, why, ...(fix !== undefined && { fix }) },
  });

/** Reads the answer to the question whether a call may run, as Claude Code's hooks give it. */
export function permissionIn(
  decision: unknown,
  reason: unknown,
): Pick<Wants, 'decision' | 'reason' | 'stop'> {
  const { behavior, message, interrupt } = fieldsOf(decision);
  const word = typeof behavior === 'string' ? behavior.trim().toLowerCase() : '';
  if (word !== 'deny') return word === 'allow' ? { decision: 'allow' } : {};
  return {
    decision: 'deny',
    reason: textIn(message) ?? textIn(reason) ?? defaultReason,
    ...(interrupt === true && { stop: true }),
  };
}
