import type { TableEvent } from '../table/host-table.ts';

/** Its events, each with ours. */
export const events = {
  tool_call: { at: 'BeforeTool' },
  tool_result: { at: 'AfterTool' },
  input: { at: 'BeforeAgent' },
  agent_before_settle: { at: 'AfterAgent' },
  context_with_system: { at: 'BeforeModel' },
  message_end: { at: 'AfterModel' },
  session_start: { at: 'SessionStart' },
  session_shutdown: { at: 'SessionEnd' },
  session_before_compact: { at: 'PreCompress' },
} as const satisfies Readonly<Record<string, TableEvent>>;
