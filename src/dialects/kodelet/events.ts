import type { HookEventName } from '../../protocol/events.ts';

/** The four types of hooks, and what each means to us (seed 002 "Hook Types"). */
export const kodeletEvents = {
  before_tool_call: 'BeforeTool',
  after_tool_call: 'AfterTool',
  user_message_send: 'BeforeAgent',
  agent_stop: 'AfterAgent',
} as const satisfies Readonly<Record<string, HookEventName>>;

/** A type of hooks, as `<hook> hook` prints it. */
export type KodeletEvent = keyof typeof kodeletEvents;

/** Whether a text is a type of hooks. */
export const isKodeletEvent = (text: string): text is KodeletEvent =>
  Object.hasOwn(kodeletEvents, text);

/** The type that our event is; undefined for an event that Kodelet does not have. */
export const kodeletEventOf = (event: HookEventName): KodeletEvent | undefined =>
  (Object.keys(kodeletEvents) as KodeletEvent[]).find((type) => kodeletEvents[type] === event);
