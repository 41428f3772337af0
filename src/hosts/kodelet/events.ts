import type { HookEventName } from '../../core/protocol/events.ts';

/** The types of hooks, each with our event for it; the last was added later. */
export const kodeletEvents = {
  before_tool_call: 'BeforeTool',
  after_tool_call: 'AfterTool',
  user_message_send: 'BeforeAgent',
  agent_stop: 'AfterAgent',
  turn_end: 'host.turn_end',
} as const satisfies Readonly<Record<string, HookEventName>>;

/** A type of hook, as `<hook> hook` prints it. */
export type KodeletEvent = keyof typeof kodeletEvents;
