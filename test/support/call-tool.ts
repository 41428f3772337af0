import type { ToolInput } from '../../machines/tool-call.ts';
import {
  type EndedToolCall,
  type ExecuteTool,
  runToolCall,
} from '../../src/core/calls/run-tool-call.ts';
import type { CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import type { ToolResult } from '../../src/core/protocol/tool-result.ts';
import { startSession, type Session } from './session.ts';

/** What the tool of these tests returns by default. */
export const written: ToolResult = { llmContent: 'written', returnDisplay: 'Written.' };

export const someInput: ToolInput = Object.freeze({ file_path: 'a.txt', content: 'text' });

export interface CallOptions {
  readonly input?: ToolInput;
  /** The tool; default: one that returns `written`. */
  readonly tool?: ExecuteTool;
  readonly signal?: AbortSignal;
  readonly config?: Partial<CreateConfigOptions>;
}

/** An ended call of `write_file`, and what tests can check about it. */
export interface SeenCall extends EndedToolCall {
  /** The arguments of each run of the tool. */
  readonly ran: readonly ToolInput[];
  readonly session: Session;
}

/** Makes one call of `write_file` with these hooks around it. */
export async function callTool(
  hooks: Parameters<typeof startSession>[0],
  { input = someInput, tool = () => Promise.resolve(written), signal, config }: CallOptions = {},
): Promise<SeenCall> {
  const session = await startSession(hooks, config);
  const ran: ToolInput[] = [];
  const execute: ExecuteTool = (toolInput, toolSignal) => {
    ran.push(toolInput);
    return tool(toolInput, toolSignal);
  };
  const request = { id: 'call-1', name: 'write_file', input };
  const ended = await runToolCall(session.config, request, execute, { signal });
  return { ...ended, ran, session };
}
