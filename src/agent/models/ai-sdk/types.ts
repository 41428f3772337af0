/**
 * The part of the AI SDK's language model specifications that is used. The types are our own, so that users
 * need not install the SDK; a type test checks them against the real packages.
 */

/** A language model object of the AI SDK, of any specification since v2. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  /** Takes `CallOptions`; each version types them with its own enums. */
  doStream(options: never): PromiseLike<{ readonly stream: AiSdkStream }>;
}

export interface AiSdkStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** The specifications that this adapter supports. */
export type Specification = 'v2' | 'v3' | 'v4';

export interface CallOptions {
  readonly prompt: Message[];
  readonly abortSignal: AbortSignal;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: string[];
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly responseFormat?: { readonly type: 'json'; readonly schema?: object };
  readonly tools?: FunctionTool[];
  readonly toolChoice?: ToolChoice;
  readonly providerOptions?: Metadata;
}

export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
}

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly toolName: string };

/** Data that a provider needs back, by provider name. */
export type Metadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Signed {
  readonly providerOptions?: Metadata;
}

export type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: (TextPart | FilePart)[] }
  | {
      readonly role: 'assistant';
      readonly content: (TextPart | FilePart | ReasoningPart | ToolCallPart)[];
    }
  | { readonly role: 'tool'; readonly content: ToolResultPart[] };

export interface TextPart extends Signed {
  readonly type: 'text';
  readonly text: string;
}

export interface ReasoningPart extends Signed {
  readonly type: 'reasoning';
  readonly text: string;
}

export interface FilePart extends Signed {
  readonly type: 'file';
  readonly mediaType: string;
  /** Base64 or a URL; since v4 either is wrapped. */
  readonly data: FileData;
}

export type FileData =
  | string
  | URL
  | { readonly type: 'data'; readonly data: string }
  | { readonly type: 'url'; readonly url: URL };

export interface ToolCallPart extends Signed {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

export interface ToolResultPart extends Signed {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolOutput;
}

export type ToolOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'content'; readonly value: object[] };

/** The parts of an answer's stream that are read; a specification may define others. */
export type StreamPart =
  | {
      readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
      readonly id: string;
      readonly providerMetadata?: Metadata;
    }
  | {
      readonly type: 'text-delta' | 'reasoning-delta';
      readonly id: string;
      readonly delta: string;
      readonly providerMetadata?: Metadata;
    }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: string;
      readonly providerExecuted?: boolean;
      readonly providerMetadata?: Metadata;
    }
  | {
      readonly type: 'file';
      readonly mediaType: string;
      readonly data: string | Uint8Array | { readonly type: string };
      readonly providerMetadata?: Metadata;
    }
  | {
      readonly type: 'response-metadata';
      readonly id?: string;
      readonly modelId?: string;
      readonly timestamp?: Date;
    }
  | { readonly type: 'finish'; readonly usage: unknown; readonly finishReason: unknown }
  | { readonly type: 'stream-start'; readonly warnings: readonly unknown[] }
  | { readonly type: 'error'; readonly error: unknown };
