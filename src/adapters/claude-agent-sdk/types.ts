/**
 * The parts of the Claude Agent SDK's types that the adapter touches; a type test checks them against the
 * real package.
 */

type Fields = Readonly<Record<string, unknown>>;

/** What every callback is given. */
export interface HookInput {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  /** Present if a sub-agent is working. */
  readonly agent_id?: string;
}

/** What a callback answers. */
export interface HookOutput {
  continue?: boolean;
  stopReason?: string;
  decision?: 'block';
  reason?: string;
  systemMessage?: string;
  hookSpecificOutput?: never;
}

export type HookCallback = (
  input: never,
  toolUseId: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<never>;

export interface CallbackMatcher {
  readonly matcher?: string;
  readonly hooks: HookCallback[];
  readonly timeout?: number;
  readonly onFailure?: 'continue' | 'block';
}

/** A message of a query. */
export interface Message extends Fields {
  readonly type: string;
}

/** The function to wrap. */
export type QueryFunction = (params: never) => AsyncGenerator<unknown, void>;
