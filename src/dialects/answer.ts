import type { HookAnswer } from '../../machines/hook-event.ts';
import type { Survivor } from '../../machines/hook-process.ts';
import type { HookOutput } from '../protocol/output.ts';

/**
 * One hook's parsed output. What it decided, what it wants changed and its status stay apart: a
 * failure never turns into an allow.
 */
export interface Answer extends HookAnswer {
  /** What it wants, as the protocol's fields; absent when it said nothing. */
  readonly output?: HookOutput;
  /** Arguments in place of the tool's, the whole of them. */
  readonly toolInput?: Readonly<Record<string, unknown>>;
  /** A result in place of the tool's, in the form of `tool_response`. */
  readonly toolResponse?: Readonly<Record<string, unknown>>;
  /** What the agent is to do next, each as a message of the user. */
  readonly followUps?: readonly string[];
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
  /** Its `llm_response` says what the hook was given: it wants none of it changed. */
  readonly repeatsResponse?: true;
  /** The output was made from plain text; it decides nothing and replaces nothing but the message. */
  readonly plainText: boolean;
}
