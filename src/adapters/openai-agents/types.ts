/**
 * The parts of the OpenAI Agents SDK that we use. The types are our own so that the package builds without
 * the SDK; a type test checks them against the real one.
 */

/** A runner of the SDK. */
export interface RunnerLike {
  readonly config: { modelProvider: object; model?: unknown };
  run(...args: never): unknown;
}

/** An agent of the SDK. */
export interface AgentLike {
  readonly name: string;
  model: unknown;
  handoffs: readonly object[];
  getAllTools(...args: never): Promise<readonly object[]>;
  getEnabledHandoffs(...args: never): Promise<readonly object[]>;
}

/** An agent of the SDK with the methods that we call. */
export interface Agent extends AgentLike {
  getAllTools(this: Agent, ...args: unknown[]): Promise<Tool[]>;
  getEnabledHandoffs(this: Agent, ...args: unknown[]): Promise<Handoff[]>;
  clone(this: Agent, ...args: unknown[]): Agent;
}

export interface Runner extends RunnerLike {
  readonly config: { modelProvider: ModelProvider; model?: unknown };
  run(agent: Agent, input: unknown, options?: unknown): Promise<unknown>;
}

export interface ModelProvider {
  getModel(name?: string): Promise<Model> | Model;
}

export interface Model {
  getResponse(request: ModelRequest): Promise<ModelResponse>;
  getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent>;
}

export interface ModelRequest {
  readonly systemInstructions?: string;
  readonly input: string | readonly Item[];
  readonly modelSettings: ModelSettings;
  readonly tools: readonly { readonly type: string; readonly name: string }[];
  readonly toolsExplicitlyProvided?: boolean;
  readonly handoffs: readonly { readonly toolName: string }[];
  readonly signal?: AbortSignal;
}

export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly toolChoice?: string;
}

export interface Usage {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

export interface ModelResponse {
  readonly usage: Usage;
  readonly output: readonly Item[];
  readonly responseId?: string;
  readonly providerData?: unknown;
}

/** Something said or done in a conversation. */
export interface Item {
  readonly type?: string;
  readonly id?: string;
  readonly role?: string;
  readonly content?: string | readonly Content[];
  readonly callId?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly output?: unknown;
  readonly status?: string;
  /** Present for a shell call. */
  readonly action?: object;
  /** Present for a patch. */
  readonly operation?: object;
}

export interface Content {
  readonly type: string;
  readonly text?: string;
}

export type StreamEvent =
  | { readonly type: 'response_started' }
  | { readonly type: 'output_text_delta'; readonly delta: string; readonly itemId?: string }
  /** An event of the provider, as it came. */
  | { readonly type: 'model'; readonly event: unknown }
  | {
      readonly type: 'response_done';
      readonly response: Omit<ModelResponse, 'responseId'> & { readonly id: string };
    };

export type Tool = FunctionTool | ShellTool | PatchTool | { readonly type: 'other' };

export interface Approving {
  readonly name: string;
  needsApproval(context: RunContext, input: unknown, callId?: string): Promise<boolean>;
}

export interface FunctionTool extends Approving {
  readonly type: 'function';
  invoke(context: RunContext, input: string, details?: CallDetails): Promise<unknown>;
}

export interface CallDetails {
  readonly toolCall?: Item;
  readonly signal?: AbortSignal;
}

export interface ShellTool extends Approving {
  readonly type: 'shell';
  /** Absent if the provider runs the shell. */
  readonly shell?: { run(action: object): Promise<ShellResult> };
}

export interface ShellResult {
  readonly output: readonly ShellOutput[];
}

export interface ShellOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly outcome: { readonly type: string; readonly exitCode?: number | null };
}

export interface PatchTool extends Approving {
  readonly type: 'apply_patch';
  readonly editor: Editor;
}

export type Editor = Record<'createFile' | 'updateFile' | 'deleteFile', Edit>;

export type Edit = (operation: object, context?: unknown) => Promise<PatchResult | void>;

export interface PatchResult {
  readonly status?: 'completed' | 'failed';
  readonly output?: string;
}

export interface RunContext {
  isToolApproved?(approval: { toolName: string; callId: string }): boolean | undefined;
}

export interface Handoff {
  readonly toolName: string;
  readonly agent: Agent;
  readonly inputFilter?: (data: unknown) => unknown;
  onInvokeHandoff(context: unknown, input: string): Promise<Agent> | Agent;
  clone(changes: Partial<Handoff>): Handoff;
}
