import type { TableEvent } from '../table/host-table.ts';

/** Its events, each with ours. */
export const events = {
  PreToolUse: { at: 'BeforeTool', subject: 'tool_name', blocks: true },
  PostToolUse: { at: 'AfterTool', subject: 'tool_name' },
  PostToolUseFailure: { at: 'ToolFailed', subject: 'tool_name' },
  UserPromptSubmit: { at: 'BeforeAgent', blocks: true },
  Stop: { at: 'AfterAgent', blocks: true },
  SessionStart: { at: 'SessionStart', subject: 'source' },
  SessionEnd: { at: 'SessionEnd', subject: 'reason' },
  SubagentStart: { at: 'SubagentStart', subject: 'agent_type' },
  SubagentStop: { at: 'SubagentStop', subject: 'agent_type' },
  PreCompact: { at: 'PreCompress', subject: 'trigger' },
  PostCompact: { at: 'PostCompress', subject: 'trigger' },
  Notification: { at: 'Notification' },
  PermissionRequest: { at: 'host.PermissionRequest' },
  PermissionResult: { at: 'host.PermissionResult' },
  StopFailure: { at: 'host.StopFailure' },
  Interrupt: { at: 'host.Interrupt' },
} as const satisfies Readonly<Record<string, TableEvent>>;
