import type { TableEvent } from '../table/host-table.ts';

/** Its events, each with ours. */
export const events = {
  before_tool_call: { at: 'BeforeTool' },
  after_tool_call: { at: 'AfterTool' },
  before_agent_run: { at: 'BeforeAgent' },
  before_agent_finalize: { at: 'AfterAgent' },
  session_start: { at: 'SessionStart' },
  session_end: { at: 'SessionEnd' },
  before_compaction: { at: 'PreCompress' },
} as const satisfies Readonly<Record<string, TableEvent>>;
