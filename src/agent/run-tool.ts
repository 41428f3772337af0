import type { ToolInput } from '../../machines/tool-call.ts';
import type { ToolResult } from '../protocol/tool-result.ts';

/** Runs the tool with the arguments that the hooks left. */
export type ExecuteTool = (toolInput: ToolInput, signal: AbortSignal) => Promise<ToolResult>;

/** Whatever a tool does, it ends later and with a result: one that throws at once, or that gives nothing (a host need not be TypeScript). */
export function runTool(
  executeTool: ExecuteTool,
  toolInput: ToolInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  try {
    return Promise.resolve(executeTool(toolInput, signal)).then(orNothing);
  } catch (error) {
    return Promise.reject(error);
  }
}

const orNothing = (result: ToolResult | undefined | null): ToolResult =>
  result ?? { llmContent: '', returnDisplay: '' };
