/** The stable, SDK-independent shapes in which hooks see model calls. */

export type LLMRole = 'user' | 'model' | 'system';

export interface LLMMessage {
  readonly role: LLMRole;
  /** The text of the message; images, function calls and responses are not shown to hooks. */
  readonly content: string;
}

/** The eight generation settings that hooks see. */
export interface LLMConfig {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: readonly string[];
  readonly candidateCount?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
}

export type HookToolMode = 'AUTO' | 'ANY' | 'NONE';

/** Which tools the model may call. */
export interface HookToolConfig {
  readonly mode?: HookToolMode;
  readonly allowedFunctionNames?: readonly string[];
}

export interface LLMRequest {
  readonly model: string;
  readonly messages: readonly LLMMessage[];
  readonly config?: LLMConfig;
  readonly toolConfig?: HookToolConfig;
}

export type LLMFinishReason = 'STOP' | 'MAX_TOKENS' | 'SAFETY' | 'RECITATION' | 'OTHER';

export interface LLMCandidate {
  readonly content: { readonly role: 'model'; readonly parts: readonly string[] };
  readonly finishReason?: LLMFinishReason;
  readonly index?: number;
  readonly safetyRatings?: readonly { readonly category: string; readonly probability: string }[];
}

export interface LLMResponse {
  /** The whole text of the first candidate. */
  readonly text?: string;
  readonly candidates: readonly LLMCandidate[];
  readonly usageMetadata?: {
    readonly promptTokenCount?: number;
    readonly candidatesTokenCount?: number;
    readonly totalTokenCount?: number;
  };
}
