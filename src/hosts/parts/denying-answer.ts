import { hookPointOf } from '../../core/points/hook-points.ts';
import { messageOf } from '../../base/message-of.ts';
import type { Host } from '../../core/dialects/dialect.ts';
import type { EventInput } from './event-input.ts';
import { emptyVerdict } from '../../core/answers/merge-effects.ts';
import type { HostAnswer, EventOutcome, Speaker } from '../../core/dialects/speaker.ts';
import { AllWishes } from './wishes.ts';

/** An event that a host gave, and which it is. */
export interface KnownEvent {
  readonly host: Host;
  readonly speaker: Speaker;
  readonly event: string;
  readonly input: EventInput;
}

/** Whether the event is denied where it cannot be judged: it is about a tool, a prompt or a model's call. */
export const mustBeJudged = ({ host, event }: Pick<KnownEvent, 'host' | 'event'>): boolean =>
  hookPointOf(host.events[event]!).needsGuards;

/** Why an event is denied that could not be judged. */
export const unjudgedReason = (error: unknown): string =>
  `hookmachine could not judge this: ${messageOf(error)}`;

/** Denies an event in the form that its host obeys, without any hook. */
export function denyingAnswer(known: KnownEvent, reason: string): HostAnswer {
  const { host, speaker, event, input } = known;
  const verdict = { ...emptyVerdict, decision: 'deny' as const, reason };
  const outcome: EventOutcome = { given: input.given, project: '', verdict, native: {} };
  try {
    const wishes = new AllWishes(host.events[event]!, outcome);
    const answer = speaker.write(event, outcome, wishes);
    if (wishes.lost().length === 0) return answer;
  } catch {
    // Then it is said so simply that nothing can fail.
  }
  return host.plainDenial ? { stdout: host.plainDenial(reason) } : { exitCode: unanswered };
}

/** The exit status of a relay whose answer cannot be written: most hosts deny, and read why on stderr. */
export const unanswered = 2;
