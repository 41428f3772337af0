import type { TableEvent } from '../table/host-table.ts';

/** Its events, each with ours. */
export const events = {
  PreToolUse: { at: 'BeforeTool', subject: 'tool_name', blocks: true },
  PostToolUse: { at: 'AfterTool', subject: 'tool_name' },
  PostToolUseFailure: { at: 'ToolFailed', subject: 'tool_name' },
  UserPromptSubmit: { at: 'BeforeAgent' },
  Stop: { at: 'AfterAgent', blocks: true },
  SessionStart: { at: 'SessionStart' },
  SessionEnd: { at: 'SessionEnd' },
  PreToolUseResult: { at: 'host.PreToolUseResult', subject: 'tool_name' },
  BeforeReadFile: { at: 'host.BeforeReadFile', subject: 'matcher_context' },
  AfterFileEdit: { at: 'host.AfterFileEdit', subject: 'matcher_context' },
  BeforeShellExecution: { at: 'host.BeforeShellExecution', subject: 'matcher_context' },
  AfterShellExecution: { at: 'host.AfterShellExecution', subject: 'matcher_context' },
} as const satisfies Readonly<Record<string, TableEvent>>;
