import type { LlmContent, ToolResult } from '../../core/protocol/tool-result.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import { isRecord } from '../../base/json.ts';
import { objectIn } from './message.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A text block in an MCP result's content. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export const textBlock = (text: string): TextBlock => ({ type: 'text', text });

/** An MCP result as hooks see it: texts joined into one, anything else block by block. */
export function toToolResult(given: unknown): ToolResult {
  const llmContent = contentOf(given);
  const text = typeof llmContent === 'string' ? llmContent : textsIn(llmContent);
  const { structuredContent, isError } = isRecord(given) ? given : ({} as Fields);
  return {
    llmContent,
    returnDisplay: text,
    ...(structuredContent !== undefined && { metadata: { structuredContent } }),
    ...(isError === true && { error: { message: text, type: 'mcp_tool_error' } }),
  };
}

/**
 * What a client may show its model of a result, whether or not the result has the form that MCP prescribes:
 * clients are lenient, and hooks must see whatever may be shown.
 */
function contentOf(given: unknown): LlmContent {
  if (!isRecord(given)) return textFrom(given);
  const { content, structuredContent, isError: _, _meta, ...others } = given;
  if (Array.isArray(content) && content.length > 0)
    return content.every(isTextBlock)
      ? content.map(({ text }) => text).join('\n')
      : (content as LlmContent);
  if (content !== undefined && !Array.isArray(content)) return textFrom(content);
  if (structuredContent !== undefined) return textFrom(structuredContent);
  return Object.keys(others).length === 0 ? '' : textFrom(others);
}

function textFrom(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value ?? '');
  } catch {
    // It is nested too deep to be written, and so for hooks to look at, which is reported.
    return '';
  }
}

const isTextBlock = (block: unknown): block is TextBlock =>
  isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string';

/** A result with one more text, which stands after whatever the model would have read without it. */
export function extendedResult(given: unknown, added: string): Fields {
  const llmContent = contentOf(given);
  const content = llmContent === '' ? [] : blocksOf(llmContent);
  return { ...(isRecord(given) && given), content: [...content, textBlock(added)] };
}

/** A result that hooks put in place of a server's: nothing that a model may read stays. */
export function replacedResult(given: unknown, replacement: Fields): Fields {
  const { _meta, isError, structuredContent } = isRecord(given) ? given : ({} as Fields);
  const content = blocksOf(replacement['llmContent']);
  const structured =
    objectIn(replacement, 'metadata')['structuredContent'] ??
    // Structured content that the texts no longer contain must not stay beside them.
    (isRecord(structuredContent) ? objectWritten(textsIn(content)) : undefined);
  return {
    ...(_meta !== undefined && { _meta }),
    content,
    ...(structured !== undefined && { structuredContent: structured }),
    ...((isRecord(replacement['error']) || isError === true) && { isError: true }),
  };
}

/** What a model reads, as blocks. */
export function blocksOf(llmContent: unknown): readonly object[] {
  const parts: readonly unknown[] = Array.isArray(llmContent) ? llmContent : [llmContent ?? ''];
  return parts.map((part) => {
    if (typeof part === 'string') return textBlock(part);
    if (!isRecord(part)) return textBlock(JSON.stringify(part));
    if (typeof part['type'] === 'string') return part;
    return textBlock(typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part));
  });
}

function objectWritten(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
