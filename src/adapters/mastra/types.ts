/**
 * The parts of Mastra that an adapter reads and writes. The types are our own so that users are not tied to
 * one version; a type test checks them against the real package.
 */

/** The parts of an agent's config that hooks go around. */
export interface MastraAgentConfig {
  readonly model?: unknown;
  readonly tools?: unknown;
  readonly hooks?: unknown;
  readonly inputProcessors?: unknown;
}

/** What a tool gets besides its arguments; in an agent, that includes the call. */
export interface ToolContext {
  readonly agent?: {
    readonly toolCallId?: string;
    readonly messages?: unknown;
    readonly resumeData?: unknown;
    readonly suspend?: (...args: readonly unknown[]) => unknown;
  };
  readonly suspend?: (...args: readonly unknown[]) => unknown;
  readonly abortSignal?: AbortSignal;
  /** Present while Mastra has not yet put the call into `agent`. */
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

/** What Mastra reports about a call before its tool runs. */
export interface ToolHookContext {
  readonly toolName: string;
  readonly input: unknown;
  readonly context: ToolContext;
}
