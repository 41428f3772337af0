import type { TableEvent } from '../table/host-table.ts';

/** Its events, each with ours. */
export const events = {
  PreToolUse: { at: 'BeforeTool', subject: 'tool_name', blocks: true },
  PostToolUse: { at: 'AfterTool', subject: 'tool_name' },
  PreInvocation: { at: 'host.PreInvocation' },
  PostInvocation: { at: 'host.PostInvocation' },
  Stop: { at: 'AfterAgent', blocks: true },
  SessionStart: { at: 'SessionStart' },
} as const satisfies Readonly<Record<string, TableEvent>>;
