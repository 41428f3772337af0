import type { TableEvent } from '../table/host-table.ts';

/** Its events, each with ours: the names of the executables. */
export const events = {
  PreToolUse: { at: 'BeforeTool', blocks: true },
  PostToolUse: { at: 'AfterTool' },
  UserPromptSubmit: { at: 'BeforeAgent', blocks: true },
  TaskStart: { at: 'SessionStart' },
  TaskResume: { at: 'host.TaskResume' },
  TaskComplete: { at: 'host.TaskComplete' },
  TaskCancel: { at: 'host.TaskCancel' },
  TaskError: { at: 'host.TaskError' },
  PreCompact: { at: 'PreCompress' },
  SessionShutdown: { at: 'SessionEnd' },
} as const satisfies Readonly<Record<string, TableEvent>>;
