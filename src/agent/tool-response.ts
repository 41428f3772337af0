import { isError } from '../errors.ts';
import { messageOf } from '../message-of.ts';
import { errorResult, type ToolResult } from '../protocol/tool-result.ts';

/** What AfterTool hooks see of a result (HOOK-026, C-69). */
export const toolResponse = ({ llmContent, returnDisplay, metadata, error }: ToolResult) => ({
  llmContent,
  returnDisplay,
  ...(metadata && { metadata }),
  ...(error && { error }),
});

/** A thrown error as a result that the model reads and AfterTool hooks see (C-68). */
export function failedResult(error: unknown): ToolResult {
  return errorResult(messageOf(error), isError(error) ? error.name : 'Error');
}
