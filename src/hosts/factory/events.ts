import type { TableEvent } from '../table/host-table.ts';

/** Its events, each with ours. */
export const events = {
  PreToolUse: { at: 'BeforeTool', subject: 'tool_name', blocks: true },
  PostToolUse: { at: 'AfterTool', subject: 'tool_name', blocks: true },
  UserPromptSubmit: { at: 'BeforeAgent', blocks: true },
  Stop: { at: 'AfterAgent', blocks: true },
  SubagentStop: { at: 'SubagentStop', blocks: true },
  SessionStart: { at: 'SessionStart', subject: 'source' },
  SessionEnd: { at: 'SessionEnd' },
  PreCompact: { at: 'PreCompress', subject: 'trigger' },
  Notification: { at: 'Notification' },
} as const satisfies Readonly<Record<string, TableEvent>>;
