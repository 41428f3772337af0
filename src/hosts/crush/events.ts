import type { TableEvent } from '../table/host-table.ts';

/** Its events, each with ours. */
export const events = {
  PreToolUse: { at: 'BeforeTool', subject: 'tool_name', blocks: true },
  PreCompact: { at: 'PreCompress', blocks: true },
} as const satisfies Readonly<Record<string, TableEvent>>;
