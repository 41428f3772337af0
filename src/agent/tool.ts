import type { ToolResult } from '../protocol/tool-result.ts';
import type { ToolParameters } from './tool-parameters.ts';

/** What a tool may know of the call it serves. */
export interface ToolContext {
  /** The project folder, absolute; a built-in tool never leaves it. */
  readonly cwd: string;
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
  /** The id of the call: a key by which a service can tell a call that it knows. */
  readonly callId?: string;
  /** Whether built-in tools may write where guards are written down without asking; default false. */
  readonly allowGuardWrites?: boolean | undefined;
  /** Asks the user before that; without it such a write is refused. */
  readonly confirmGuarded?: ((write: GuardedWrite) => boolean | Promise<boolean>) | undefined;
}

/** A call that is about to write where guards are written down. */
export interface GuardedWrite {
  readonly tool: string;
  /** The final arguments, as hooks left them. */
  readonly input: object;
  /** The paths, absolute. */
  readonly guarded: readonly string[];
}

/**
 * A tool of the agent. `parameters` describes its arguments to the model and checks them before it runs:
 * a schema of any library that follows Standard Schema (zod, valibot, arktype), or JSON Schema.
 */
export interface Tool<Input extends object = object> {
  readonly name: string;
  readonly description: string;
  readonly parameters: ToolParameters<Input>;
  /** It does no harm when it runs twice: a durable call whose host ended meanwhile runs it once more. */
  readonly idempotent?: true;
  /** Runs the tool with checked arguments. A failure that the model should read is a result with `error`; a thrown error becomes one. */
  execute(input: Input, context: ToolContext): Promise<ToolResult>;
}
