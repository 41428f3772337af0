import { isRecord } from './output.ts';

/** A piece of content as Google GenAI spells it: text, or something only the model reads (an image, a file). */
export interface ContentPart {
  readonly text?: string;
  readonly [key: string]: unknown;
}

/** What the model reads of a tool's result: a text, a part, or a list of both. */
export type LlmContent = string | ContentPart | readonly (string | ContentPart)[];

/** What a tool gives back (HOOK-026, HOOK-149). */
export interface ToolResult {
  /** What the model reads. */
  readonly llmContent: LlmContent;
  /** What the user sees. */
  readonly returnDisplay: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Present when the tool failed; `llmContent` then tells the model the same. */
  readonly error?: { readonly message: string; readonly type?: string };
  /** Set when an AfterTool hook asked for `suppressOutput`: the model reads the result, the user does not see it (HOOK-029, HOOK-132). */
  readonly suppressDisplay?: boolean;
}

/** A failed result: the model and the user read the same message. */
export function errorResult(message: string, type: string): ToolResult {
  return { llmContent: message, returnDisplay: message, error: { message, type } };
}

/** The texts of a tool's content as one; what is no text is left out. */
export function textsIn(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => (isRecord(part) ? part['text'] : part))
    .filter((part) => typeof part === 'string')
    .join('');
}
