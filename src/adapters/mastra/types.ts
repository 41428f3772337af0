/**
 * As much of Mastra as an adapter reads and writes. They are our own, so that users need not have one
 * version; a type test holds them against the real package.
 */

/** What an agent is made of, as far as hooks go around it. */
export interface MastraAgentConfig {
  readonly model?: unknown;
  readonly tools?: unknown;
  readonly hooks?: unknown;
  readonly inputProcessors?: unknown;
}

/** What a tool gets beside its arguments; in an agent it has the call. */
export interface ToolContext {
  readonly agent?: {
    readonly toolCallId?: string;
    readonly messages?: unknown;
    readonly resumeData?: unknown;
    readonly suspend?: (...args: readonly unknown[]) => unknown;
  };
  readonly suspend?: (...args: readonly unknown[]) => unknown;
  readonly abortSignal?: AbortSignal;
  /** Where Mastra has not yet put the call into `agent`. */
  readonly toolCallId?: string;
  readonly resumeData?: unknown;
}

/** A tool, of Mastra's or of the AI SDK's. */
export interface MastraTool {
  readonly execute?: (input: unknown, context: ToolContext) => unknown;
  readonly toModelOutput?: (output: unknown) => unknown;
}

export type NeedsApproval = (input: unknown, context?: unknown) => boolean | Promise<boolean>;

/** A tool as Mastra makes it for a run. */
export interface CoreTool {
  readonly execute: (input: unknown, context: ToolContext) => unknown;
  readonly requireApproval?: boolean;
  readonly needsApprovalFn?: NeedsApproval;
  readonly toModelOutput?: (output: unknown) => unknown;
}

/** What an input processor is given before each request. */
export interface InputStep {
  readonly model: unknown;
  readonly tools?: Readonly<Record<string, unknown>>;
  readonly requestContext?: { get(key: string): unknown };
}

/** What Mastra tells of a call before its tool runs. */
export interface ToolHookContext {
  readonly toolName: string;
  readonly input: unknown;
  readonly context: ToolContext;
}
