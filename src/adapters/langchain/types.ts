/**
 * The parts of LangChain that we use. The types are our own so that the package builds without LangChain; a
 * type test checks them against the real packages.
 */

/** A piece of a message's content; its `type` says what else it has. */
export interface Block {
  readonly type?: string;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly [key: string]: unknown;
}

export type Content = string | readonly (string | Block)[];

export interface WantedCall {
  readonly id?: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A message of any kind. */
export interface Message {
  readonly type: string;
  readonly content: Content;
  readonly id?: string;
  readonly name?: string;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
  readonly response_metadata?: Readonly<Record<string, unknown>>;
}

/** A model's answer, whole or a chunk of it. */
export interface Answer extends Message {
  readonly tool_calls?: readonly WantedCall[];
  readonly invalid_tool_calls?: readonly object[];
  readonly tool_call_chunks?: readonly object[];
  readonly usage_metadata?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly total_tokens?: number;
  };
}

/** The result of a tool call. */
export interface ResultMessage extends Message {
  readonly tool_call_id: string;
  readonly status?: string;
  readonly artifact?: unknown;
  readonly metadata?: unknown;
}

/** What a node or a tool tells its graph in place of a message. */
export interface Command {
  readonly update?: unknown;
}

/** A tool, or what a provider accepts as one of its own. */
export interface OfferedTool {
  readonly name?: string;
  readonly type?: string;
  readonly function?: { readonly name?: string };
}

/** What a graph gives the code that runs in it. */
export interface Runtime {
  readonly signal?: AbortSignal | undefined;
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly interrupt?: unknown;
}

/** What a middleware's `wrapModelCall` is given. */
export interface ModelRequest {
  readonly model: unknown;
  readonly messages: readonly unknown[];
  readonly systemMessage?: unknown;
  readonly tools?: readonly unknown[];
  readonly toolChoice?: unknown;
  readonly modelSettings?: Readonly<Record<string, unknown>>;
  readonly runtime?: unknown;
}

/** What a middleware's `wrapToolCall` is given. */
export interface ToolRequest {
  readonly toolCall: unknown;
  readonly runtime?: unknown;
}

export type Options = Readonly<Record<string, unknown>>;

/** A piece of a streamed answer. */
export interface Chunk {
  readonly text: string;
  readonly message: Answer;
  readonly generationInfo?: unknown;
  concat(other: Chunk): Chunk;
}

export interface Generated {
  readonly generations: readonly { readonly text: string; readonly message: Answer }[];
  readonly llmOutput?: unknown;
}

/** Tells the callbacks of a run what its model does. */
export interface RunManager {
  handleLLMNewToken(token: string, place?: unknown, ...rest: readonly unknown[]): Promise<void>;
}

/** The methods of a chat model that are called, most of them by LangChain's own base class. */
export interface ChatModel {
  _generate(
    messages: readonly Message[],
    options: Options,
    manager?: RunManager,
  ): Promise<Generated>;
  _streamResponseChunks(
    messages: readonly Message[],
    options: Options,
    manager?: RunManager,
  ): AsyncIterable<Chunk>;
  _streamChatModelEvents(
    messages: readonly Message[],
    options: Options,
    manager?: RunManager,
  ): AsyncIterable<unknown>;
  bindTools?(tools: readonly unknown[], options?: Options): unknown;
}
