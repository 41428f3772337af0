import type { HookPayload } from '../../machines/hook-event.ts';
import type { HookProcessOutcome } from '../../machines/hook-process.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookInput } from '../protocol/input.ts';
import type { Answer } from './answer.ts';
import type { MergedAnswers, NamedAnswer } from './merge.ts';

/** One hook protocol: what a hook gets, what its ended process means, and how answers compose. */
export interface Dialect {
  readonly name: string;
  /** The variables a hook's environment has beyond the host's; they may be used in its command too. */
  environment(input: HookInput): Readonly<Record<string, string>>;
  /** An ended process as an answer. Never throws. */
  read(event: HookEventName, outcome: HookProcessOutcome): Answer;
  /** What the next hook of a sequence is told. */
  chain(event: HookEventName, payload: HookPayload, answer: Answer): HookPayload;
  /** All answers, in plan order, as one output. */
  merge(event: HookEventName, answers: readonly NamedAnswer[]): MergedAnswers;
}
