import type { TableEvent } from 'hookmachine/dialects';

/** Otter's events, each with ours. */
export const events = {
  before_tool: { at: 'BeforeTool', subject: 'tool_name', blocks: true },
  after_tool: { at: 'AfterTool', subject: 'tool_name' },
  prompt: { at: 'BeforeAgent', blocks: true },
  end: { at: 'AfterAgent', blocks: true },
} as const satisfies Readonly<Record<string, TableEvent>>;
