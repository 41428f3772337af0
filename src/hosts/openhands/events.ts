import type { TableEvent } from '../table/host-table.ts';

/** Its events, each with ours. */
export const events = {
  PreToolUse: { at: 'BeforeTool', subject: 'tool_name', blocks: true },
  PostToolUse: { at: 'AfterTool', subject: 'tool_name' },
  UserPromptSubmit: { at: 'BeforeAgent', blocks: true },
  Stop: { at: 'AfterAgent', blocks: true },
  SessionStart: { at: 'SessionStart' },
  SessionEnd: { at: 'SessionEnd' },
} as const satisfies Readonly<Record<string, TableEvent>>;
