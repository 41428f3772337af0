/**
 * The part of Google GenAI's shapes that the translator reads. They are our own, so that users do not
 * need `@google/genai`; a type test checks them against the real package.
 */

export interface GenAIFunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Record<string, unknown>;
}

export interface GenAIFunctionResponse {
  readonly id?: string;
  readonly name?: string;
  readonly response?: Record<string, unknown>;
}

/** A piece of a message: text, a function call, a function response, or something only the model reads. */
export interface GenAIPart {
  readonly text?: string;
  /** The text is the model's reasoning. */
  readonly thought?: boolean;
  readonly functionCall?: GenAIFunctionCall;
  readonly functionResponse?: GenAIFunctionResponse;
}

/** One message; without a role it is a user message. */
export interface GenAIContent {
  readonly role?: string;
  readonly parts?: GenAIPart[];
}

/** A conversation; consecutive parts are one user message. */
export type GenAIContents =
  | GenAIContent
  | GenAIContent[]
  | GenAIPart
  | string
  | (GenAIPart | string)[];

export interface GenAIToolConfig {
  readonly functionCallingConfig?: {
    /** AUTO, ANY, NONE, or a mode that hooks do not know. */
    readonly mode?: string;
    readonly allowedFunctionNames?: string[];
  };
}

export interface GenAIConfig {
  readonly systemInstruction?: GenAIContent | GenAIPart | string | (GenAIPart | string)[];
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: string[];
  readonly candidateCount?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly toolConfig?: GenAIToolConfig;
  /** The name of cached content, which has its own system instruction. */
  readonly cachedContent?: string;
}

/** The parameters of a model call (`GenerateContentParameters`). */
export interface GenAIRequest {
  readonly model: string;
  readonly contents: GenAIContents;
  readonly config?: GenAIConfig;
}

export interface GenAICandidate {
  readonly content?: GenAIContent;
  readonly finishReason?: string;
  readonly index?: number;
  readonly safetyRatings?: {
    readonly category?: string;
    readonly probability?: string;
    readonly blocked?: boolean;
  }[];
}

/** The answer to a model call (`GenerateContentResponse`). */
export interface GenAIResponse {
  /** The text of the first candidate. */
  readonly text?: string | undefined;
  readonly candidates?: GenAICandidate[];
  readonly usageMetadata?: {
    readonly promptTokenCount?: number;
    readonly candidatesTokenCount?: number;
    readonly totalTokenCount?: number;
    /** How many of the prompt's were read from the provider's cache. */
    readonly cachedContentTokenCount?: number;
    /** How many of the answer's were thinking. */
    readonly thoughtsTokenCount?: number;
  };
  readonly responseId?: string;
  readonly modelVersion?: string;
  readonly createTime?: string;
}
