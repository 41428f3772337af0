import type { GenAIConfig, GenAIPart, GenAIRequest, GenAIResponse } from './genai-types.ts';

/** A language model that streams its text and returns the whole response. */
export interface Model {
  readonly name: string;
  /**
   * Rejects with a `ModelError`, or with the signal's reason as soon as it aborts. The result is one whole
   * response or nothing: an answer that broke off is an error, no matter how much of it was streamed.
   */
  generate(request: ModelRequest, options: GenerateOptions): Promise<GenAIResponse>;
}

export interface GenerateOptions {
  readonly signal: AbortSignal;
  /** Receives the answer's text piece by piece, without the model's thoughts. */
  readonly onText?: (text: string) => void;
}

/** A request with the fields that models read besides those that hooks may see. */
export interface ModelRequest extends GenAIRequest {
  readonly config?: ModelConfig;
}

export interface ModelConfig extends GenAIConfig {
  readonly tools?: readonly ModelTool[];
  readonly responseMimeType?: string;
  readonly responseJsonSchema?: unknown;
  readonly seed?: number;
}

/** Tools in Google GenAI's form. Other keys are tools that the provider runs. */
export interface ModelTool {
  readonly functionDeclarations?: readonly FunctionDeclaration[];
}

export interface FunctionDeclaration {
  readonly name?: string;
  readonly description?: string;
  readonly parametersJsonSchema?: unknown;
  /** Google's own form of a schema; used if there is no JSON Schema. */
  readonly parameters?: unknown;
}

/** A part with the fields that only models read. */
export interface ModelPart extends GenAIPart {
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string };
  /** Proves to the provider that the part is the model's own; it must be returned unchanged. */
  readonly thoughtSignature?: string;
  /** The same proof, for providers behind the AI SDK. */
  readonly providerMetadata?: Readonly<Record<string, unknown>>;
}
