import type {
  GenAIConfig,
  GenAIPart,
  GenAIRequest,
  GenAIResponse,
} from '../translate/genai-types.ts';

/** A language model: asks it, hands on text as it streams, answers with the whole response (HOOK-050). */
export interface Model {
  readonly name: string;
  /**
   * Rejects with a `ModelError`, or with the signal's reason as soon as that aborts. What arrives is
   * one whole response or nothing: an answer that broke off is an error, however much of it streamed.
   */
  generate(request: ModelRequest, options: GenerateOptions): Promise<GenAIResponse>;
}

export interface GenerateOptions {
  readonly signal: AbortSignal;
  /** Receives the answer's text piece by piece, without the model's thoughts. */
  readonly onText?: (text: string) => void;
}

/** A request with what models read beside the fields that hooks may see. */
export interface ModelRequest extends GenAIRequest {
  readonly config?: ModelConfig;
}

export interface ModelConfig extends GenAIConfig {
  readonly tools?: readonly ModelTool[];
  readonly responseMimeType?: string;
  readonly responseJsonSchema?: unknown;
  readonly seed?: number;
}

/** Tools as Google GenAI lists them. Other keys are tools that run at the provider. */
export interface ModelTool {
  readonly functionDeclarations?: readonly FunctionDeclaration[];
}

export interface FunctionDeclaration {
  readonly name?: string;
  readonly description?: string;
  readonly parametersJsonSchema?: unknown;
  /** Google's own form of a schema; read when there is no JSON Schema. */
  readonly parameters?: unknown;
}

/** A part with what only models read. */
export interface ModelPart extends GenAIPart {
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string };
  /** Proves to the provider that the part is the model's own; it must come back unchanged. */
  readonly thoughtSignature?: string;
  /** The same for providers behind the AI SDK. */
  readonly providerMetadata?: Readonly<Record<string, unknown>>;
}
