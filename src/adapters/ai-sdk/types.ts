/**
 * The parts of the AI SDK that an adapter reads and writes, for specifications v2 to v4. The types are our
 * own, so that users need only the version that they have; a type test checks them against the real packages.
 */

/** A language model object of the AI SDK, of any specification since v2. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  /** Takes `CallOptions`; each version types it with enums of its own. */
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** A tool of the AI SDK, of any version since 5. */
export interface AiSdkTool {
  readonly inputSchema?: unknown;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/** Tools by their names. */
export type AiSdkTools = Readonly<Record<string, AiSdkTool>>;

/** What a model is asked with. */
export interface CallOptions {
  readonly prompt: readonly Message[];
  readonly tools?: readonly OfferedTool[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

export interface OfferedTool {
  readonly name: string;
}

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly toolName: string };

export type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly MessagePart[] };

/** A piece of a message; kinds not named here concern only the model. */
export interface MessagePart {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
}

/** A piece of an answer; kinds not named here concern only the SDK. */
export interface Content {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** The arguments of a call as JSON text. */
  readonly input?: string;
  readonly providerExecuted?: boolean;
}

/** A whole answer. */
export interface GenerateResult {
  readonly content: readonly Content[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly warnings: readonly unknown[];
}

export interface StreamResult {
  readonly stream: ReadableStream<StreamPart>;
}

/** A piece of a streamed answer. */
export interface StreamPart extends Content {
  /** The id of a block of text or reasoning, or of the arguments of a call. */
  readonly id?: string;
  readonly delta?: string;
  readonly error?: unknown;
  readonly finishReason?: unknown;
  readonly usage?: unknown;
}
