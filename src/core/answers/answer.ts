import type { HookAnswer } from '../../../machines/hook-event.ts';
import type { Survivor } from '../../../machines/hook-process.ts';
import type { Slot } from '../points/hook-points.ts';
import type { HookOutput } from '../protocol/output.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The decisions that a hook can make, the strictest first. */
export const decisions = ['deny', 'defer', 'ask', 'allow'] as const;
export type Decision = (typeof decisions)[number];

/** One change that a hook wants. */
export type Effect =
  /** Replaces the whole value of a slot. */
  | { readonly kind: 'replace'; readonly slot: Slot; readonly value: Fields }
  /** Sets some keys of a slot's value; the others stay. */
  | { readonly kind: 'patch'; readonly slot: Slot; readonly value: Fields }
  /** Text for the model, in addition to what the event is about. */
  | { readonly kind: 'context'; readonly text: string }
  /** Text for the model or the user, depending on the event. */
  | { readonly kind: 'message'; readonly text: string }
  /** Text for the user alone. */
  | { readonly kind: 'notice'; readonly text: string }
  /** What the agent should do next, as a user message. */
  | { readonly kind: 'followUp'; readonly text: string }
  /** The outcome of the operation is not shown to the user. */
  | { readonly kind: 'hide' }
  /** A field that has a meaning only in the hook's own dialect. */
  | { readonly kind: 'own'; readonly name: string; readonly value: unknown };

/** Part of a hook's answer that counts here although its own host would not obey it. */
export interface Ignored {
  /** The display name of the host whose hook it is. */
  readonly host: string;
  readonly what: 'denial' | 'question' | 'stop';
  readonly why: string;
  /** What its author can do, unless `why` already says so. */
  readonly fix?: string;
}

/**
 * What one hook answered. Its decision, its effects and its status are kept apart: a failure never
 * turns into an allow.
 */
export interface Answer extends HookAnswer {
  /** The reason for the decision. */
  readonly reason?: string;
  /** Why the agent should stop. */
  readonly stopReason?: string;
  readonly effects: readonly Effect[];
  /** Its answer as the public API shows it; absent when it said nothing. */
  readonly output?: HookOutput;
  /** True only for exit 0. */
  readonly success: boolean;
  /** As documented: 0 when a signal ended the process; null when the process never exited. */
  readonly exitCode: number | null;
  readonly signal?: string;
  /** The HTTP status of the response, for a hook that is a server. */
  readonly httpStatus?: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  readonly timedOut: boolean;
  /** It denied or stopped before it ran into its deadline. */
  readonly isInTime?: true;
  /** Processes of the hook that could not be ended. */
  readonly survivors?: readonly Survivor[];
  /** Why the hook counts as failed. */
  readonly error?: Error;
  /** Why what it printed is not a valid answer, although the usable part of it was accepted. */
  readonly unreadable?: string;
  /** What its author should know even though the hook did its work. */
  readonly notes: readonly string[];
  /** The part that counts here although its own host would not obey it; also reported as a note. */
  readonly ignored?: Ignored;
  /** Its `llm_response` only repeats what the hook received, so it asks for no change. */
  readonly repeatsResponse?: true;
  /** It asks for nothing but arguments that the tool cannot run with, for which the call is denied. */
  readonly unfit?: true;
  /** The output was plain text: it decides nothing, and replaces nothing except the message. */
  readonly plainText: boolean;
}

/** What a hook printed, as an answer, before its exit code is considered. */
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
    | 'unfit'
  >
> &
  Pick<Answer, 'notes'>;

/** Returns the denial of a call for which a hook gave arguments that the tool cannot run with. */
export const unfitArguments = (fault: string) =>
  ({
    decision: 'deny',
    reason: `A hook gave arguments that the tool cannot run with: ${fault}`,
    unfit: true,
  }) as const;

/** The reason for a denial when the hook gave none. */
export const defaultReason = 'Blocked by hook';

/** The value with which an answer replaces a slot's; undefined if it replaces none. */
export const replacement = ({ effects }: Answer, slot: Slot): Fields | undefined =>
  effects.filter((effect) => effect.kind === 'replace').findLast((effect) => effect.slot === slot)
    ?.value;

/** An answer with the name of the hook that gave it. */
export interface NamedAnswer {
  readonly hook: string;
  readonly answer: Answer;
}
