/**
 * The parts of Google's ADK that we use. The types are our own so that the package builds without ADK; a type
 * test checks them against the real ones.
 */
import type { GenAIContent, GenAIPart } from '../../core/translate/genai-types.ts';
import type { HookToolMode } from '../../core/protocol/llm.ts';

export type Part = GenAIPart;
export type Content = GenAIContent;

type Fields = Readonly<Record<string, unknown>>;

export interface LlmRequest {
  readonly model?: string;
  readonly contents: readonly Content[];
  readonly config?: LlmConfig;
}

export interface LlmConfig {
  readonly systemInstruction?: unknown;
  readonly tools?: readonly Declared[];
  readonly toolConfig?: {
    readonly functionCallingConfig?: {
      readonly mode?: HookToolMode;
      readonly allowedFunctionNames?: readonly string[];
    };
  };
}

export interface Declared {
  readonly functionDeclarations?: readonly { readonly name?: string }[];
}

export interface LlmResponse {
  readonly content?: Content;
  readonly partial?: boolean;
  readonly finishReason?: string;
  /** What the provider searched for, and found. */
  readonly groundingMetadata?: object;
  readonly usageMetadata?: {
    readonly promptTokenCount?: number;
    readonly candidatesTokenCount?: number;
    readonly totalTokenCount?: number;
  };
}

export interface Llm {
  readonly model: string;
  generateContentAsync(
    request: LlmRequest,
    stream?: boolean,
    signal?: AbortSignal,
  ): AsyncGenerator<LlmResponse, void>;
}

export interface InvocationContext {
  readonly invocationId: string;
  readonly branch?: string;
  readonly agent?: object;
  readonly session: {
    readonly id: string;
    readonly events: readonly { readonly content?: Content }[];
  };
  readonly abortSignal?: AbortSignal;
}

/** The context of a callback, or of a tool. */
export interface Context {
  readonly invocationContext: InvocationContext;
  readonly functionCallId?: string;
  toolConfirmation?: { readonly confirmed: boolean };
  readonly abortSignal?: AbortSignal;
  readonly actions: { readonly requestedToolConfirmations?: Fields };
  requestConfirmation(question: { hint?: string; payload?: unknown }): void;
}

export interface ToolCallback {
  readonly tool: Tool & { readonly name: string };
  readonly toolArgs: Record<string, unknown>;
  readonly toolContext: Context;
}

/** A tool's callback with ADK's own types, which differ from ours in parts that we do not use. */
export interface GivenToolCallback extends Omit<ToolCallback, 'toolContext'> {
  readonly toolContext: object;
}

export interface Tool {
  checkRequireConfirmation(args: unknown, context?: Context): Promise<boolean>;
}

/** An agent. Only one that asks a model has tools. */
export interface Agent {
  readonly subAgents?: readonly object[];
  canonicalTools(...args: unknown[]): Promise<Tool[]>;
}

/** What a tool callback returns in place of the result. */
export type ToolAnswer = Record<string, unknown> | undefined;
