import type { TableEvent } from '../table/host-table.ts';

/** The events of its plugins at which ours calls the relay, each with ours. */
export const events = {
  'tool.execute.before': { at: 'BeforeTool', blocks: true },
  'tool.execute.after': { at: 'AfterTool' },
  'chat.message': { at: 'BeforeAgent', blocks: true },
  'session.created': { at: 'SessionStart' },
  'session.idle': { at: 'AfterAgent' },
  'session.compacting': { at: 'PreCompress' },
} as const satisfies Readonly<Record<string, TableEvent>>;
