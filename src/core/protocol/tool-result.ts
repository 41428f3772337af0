import { isRecord } from '../../base/json.ts';

/**
 * A part of content in Google GenAI's form: text, or something that only the model reads (an image, a file).
 */
export interface ContentPart {
  readonly text?: string;
  readonly [key: string]: unknown;
}

/** A tool's result as the model reads it: a text, a part, or a list of both. */
export type LlmContent = string | ContentPart | readonly (string | ContentPart)[];

/** A tool's result. */
export interface ToolResult {
  /** The content that the model reads. */
  readonly llmContent: LlmContent;
  /** The text that the user sees. */
  readonly returnDisplay: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Set if the tool failed; `llmContent` then tells the model the same. */
  readonly error?: { readonly message: string; readonly type?: string };
  /**
   * Set if an AfterTool hook asked for `suppressOutput`: the model reads the result, the user does not see it.
   */
  readonly suppressDisplay?: boolean;
}

/** A failed result: the model and the user read the same message. */
export function errorResult(message: string, type: string): ToolResult {
  return { llmContent: message, returnDisplay: message, error: { message, type } };
}

/** The texts of a tool's content joined into one, without the parts that are not text. */
export function textsIn(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => (isRecord(part) ? part['text'] : part))
    .filter((part) => typeof part === 'string')
    .join('');
}
