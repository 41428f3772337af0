import type { HookAnswer } from '../../machines/hook-event.ts';
import type { Survivor } from '../../machines/hook-process.ts';
import type { Slot } from '../hook-points.ts';
import type { HookOutput } from '../protocol/output.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a hook decided; the strictest first. */
export const decisions = ['deny', 'defer', 'ask', 'allow'] as const;
export type Decision = (typeof decisions)[number];

/** One thing that a hook wants changed. */
export type Effect =
  /** The whole value in the place of a slot's. */
  | { readonly kind: 'replace'; readonly slot: Slot; readonly value: Fields }
  /** Keys of a slot's value; the others stay. */
  | { readonly kind: 'patch'; readonly slot: Slot; readonly value: Fields }
  /** For the model, beside what the event is about. */
  | { readonly kind: 'context'; readonly text: string }
  /** For the model or the user, as the event has it. */
  | { readonly kind: 'message'; readonly text: string }
  /** For the user alone. */
  | { readonly kind: 'notice'; readonly text: string }
  /** What the agent is to do next, as a message of the user. */
  | { readonly kind: 'followUp'; readonly text: string }
  /** What comes of the operation is not for the user. */
  | { readonly kind: 'hide' }
  /** A field that only the hook's own dialect gives a meaning. */
  | { readonly kind: 'own'; readonly name: string; readonly value: unknown };

/** What a hook said that counts here, and that its own host would not obey (S-04, S-06). */
export interface Ignored {
  /** Whose hook it is, for people. */
  readonly host: string;
  readonly what: 'denial' | 'question' | 'stop';
  readonly why: string;
  /** What its author can do, where `why` does not say it. */
  readonly fix?: string;
}

/**
 * What one hook said. What it decided, what it wants changed and what became of it stay apart: a
 * failure never turns into an allow.
 */
export interface Answer extends HookAnswer {
  /** Why it decided so. */
  readonly reason?: string;
  /** Why the agent is to stop. */
  readonly stopReason?: string;
  readonly effects: readonly Effect[];
  /** What it said as the API of seed 003 shows it; absent when it said nothing. */
  readonly output?: HookOutput;
  /** True only for exit 0 (HOOK-070). */
  readonly success: boolean;
  /** As documented: 0 when a signal ended the process (HOOK-196); null when there was no exit to speak of. */
  readonly exitCode: number | null;
  readonly signal?: string;
  /** The status of the response, for a hook that is a server. */
  readonly httpStatus?: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  readonly timedOut: boolean;
  /** Processes of the hook that could not be ended. */
  readonly survivors?: readonly Survivor[];
  /** Why the hook counts as failed. */
  readonly error?: Error;
  /** Why what it printed is no answer, though it was taken for one as far as it goes. */
  readonly unreadable?: string;
  /** What its author should know although the hook did its work. */
  readonly notes: readonly string[];
  /** What of it counts here though its own host would not obey it; reported as a note too. */
  readonly ignored?: Ignored;
  /** Its `llm_response` says what the hook was given: it wants none of it changed. */
  readonly repeatsResponse?: true;
  /** The output was made from plain text; it decides nothing and replaces nothing but the message. */
  readonly plainText: boolean;
}

/** What a hook printed, as an answer, before its exit code is looked at. */
export type Wants = Partial<
  Pick<
    Answer,
    | 'decision'
    | 'reason'
    | 'stop'
    | 'stopReason'
    | 'effects'
    | 'output'
    | 'plainText'
    | 'ignored'
    | 'unreadable'
  >
> &
  Pick<Answer, 'notes'>;

/** The reason of a denial for which the hook gave none (C-26). */
export const defaultReason = 'Blocked by hook';

/** The value that an answer puts in the place of a slot's; undefined where it does not. */
export const replacement = ({ effects }: Answer, slot: Slot): Fields | undefined =>
  effects.filter((effect) => effect.kind === 'replace').findLast((effect) => effect.slot === slot)
    ?.value;
