import type { LlmContent, ToolResult } from '../protocol/tool-result.ts';
import { textsIn } from '../protocol/tool-result.ts';
import { isRecord } from '../protocol/output.ts';
import { objectIn } from './message.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A text block in an MCP result's content. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export const textBlock = (text: string): TextBlock => ({ type: 'text', text });

/** An MCP result as hooks see it: texts joined into one, anything else block by block. */
export function toToolResult(result: Fields): ToolResult {
  const content: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const isText = content.every((block) => isRecord(block) && block['type'] === 'text');
  const text = content
    .flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? block['text'] : []))
    .join('\n');
  const structured = result['structuredContent'];
  return {
    llmContent: isText ? text : (content as LlmContent),
    returnDisplay: text,
    ...(structured !== undefined && { metadata: { structuredContent: structured } }),
    ...(result['isError'] === true && { error: { message: text, type: 'mcp_tool_error' } }),
  };
}

/** A result that hooks put in place of a server's; what belongs to neither kind of content stays. */
export function replacedResult(result: Fields, replacement: Fields): Fields {
  const { content: _, structuredContent, ...rest } = result;
  const content = blocksOf(replacement['llmContent']);
  const structured =
    objectIn(replacement, 'metadata')['structuredContent'] ??
    // Structured content that the texts no longer contain must not stay beside them.
    (isRecord(structuredContent) ? objectWritten(textsIn(content)) : undefined);
  return {
    ...rest,
    content,
    ...(structured !== undefined && { structuredContent: structured }),
    ...(isRecord(replacement['error']) && { isError: true }),
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
