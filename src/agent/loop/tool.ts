import type { ToolResult } from '../../core/protocol/tool-result.ts';
import type { ToolParameters } from './tool-parameters.ts';

/** What a tool knows about the call that it serves. */
export interface ToolContext {
  /** The project folder, absolute; a built-in tool never leaves it. */
  readonly cwd: string;
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
  /** The id of the call: an idempotency key by which a service can recognise a repeated call. */
  readonly callId?: string;
  /** Whether built-in tools may write to guarded places without asking; default false. */
  readonly allowGuardWrites?: boolean | undefined;
  /** Asks the user before such a write; without it the write is refused. */
  readonly confirmGuarded?: ((write: GuardedWrite) => boolean | Promise<boolean>) | undefined;
}

/** A call that is about to write to guarded places. */
export interface GuardedWrite {
  readonly tool: string;
  /** The final arguments, as hooks left them. */
  readonly input: object;
  /** The guarded paths, absolute. */
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
  /** Set if running twice does no harm: a durable call whose host ended meanwhile runs the tool again. */
  readonly idempotent?: true;
  /**
   * Runs the tool with checked arguments. A failure that the model should read is a result with `error`; a
   * thrown error becomes one.
   */
  execute(input: Input, context: ToolContext): Promise<ToolResult>;
}

/** The tools of an agent: a list, or a map by their names. */
export type Tools = readonly Tool[] | ReadonlyMap<string, Tool>;
