/** A value of an event's payload that an answer may change. */
export type Slot = 'tool_input' | 'tool_response' | 'llm_request' | 'llm_response' | 'toolConfig';

/** What the engine knows of a place in an agent's life where hooks may run. */
export interface HookPoint {
  /** The API's name of its event (seed 003). */
  readonly event: string;
  /** The field of the payload that matchers are compared with (C-20). */
  readonly subject?: string;
  /** What an answer may change. */
  readonly slots: readonly Slot[];
  /** What a denial does: it prevents what was to come, sends the agent on with the reason, or is only reported (C-63). */
  readonly denial: 'prevents' | 'sends on' | 'is reported';
  /** Whether a hook may have the user asked. */
  readonly ask: boolean;
  /** Whether a hook may put the call off until somebody has answered. */
  readonly defer: boolean;
  /** Whether a hook may end the agent's work. */
  readonly stop: boolean;
  /** Nothing may go on here while it is unknown what guards it (S-12). */
  readonly needsGuards: boolean;
  /** Where what hooks said that nobody had waited for is reported: as context, or as a message, whichever the model reads. */
  readonly tellsLate?: 'context' | 'message';
}

const reported = {
  slots: [],
  denial: 'is reported',
  ask: false,
  defer: false,
  stop: false,
  needsGuards: false,
} as const;

/** Every hook point. Nothing else lists events. */
export const hookPoints = {
  'tool.select': {
    ...reported,
    event: 'BeforeToolSelection',
    slots: ['toolConfig'],
    stop: true,
  },
  'tool.before': {
    ...reported,
    event: 'BeforeTool',
    subject: 'tool_name',
    slots: ['tool_input'],
    denial: 'prevents',
    ask: true,
    defer: true,
    stop: true,
    needsGuards: true,
  },
  'tool.permission': {
    ...reported,
    event: 'ToolPermission',
    subject: 'tool_name',
    slots: ['tool_input'],
    denial: 'prevents',
    stop: true,
    needsGuards: true,
  },
  'tool.after': {
    ...reported,
    event: 'AfterTool',
    subject: 'tool_name',
    slots: ['tool_response'],
    denial: 'prevents',
    stop: true,
  },
  'tool.failed': { ...reported, event: 'ToolFailed', subject: 'tool_name', stop: true },
  'model.before': {
    ...reported,
    event: 'BeforeModel',
    slots: ['llm_request', 'llm_response'],
    denial: 'prevents',
    stop: true,
    needsGuards: true,
    tellsLate: 'message',
  },
  'model.after': { ...reported, event: 'AfterModel', slots: ['llm_response'], stop: true },
  'prompt.submit': {
    ...reported,
    event: 'BeforeAgent',
    denial: 'prevents',
    stop: true,
    needsGuards: true,
    tellsLate: 'context',
  },
  'agent.stop': { ...reported, event: 'AfterAgent', denial: 'sends on', stop: true },
  'subagent.start': { ...reported, event: 'SubagentStart', subject: 'agent_type' },
  'subagent.stop': {
    ...reported,
    event: 'SubagentStop',
    subject: 'agent_type',
    denial: 'sends on',
    stop: true,
  },
  'session.start': { ...reported, event: 'SessionStart', subject: 'source', stop: true },
  'session.end': { ...reported, event: 'SessionEnd', subject: 'reason' },
  'compact.before': { ...reported, event: 'PreCompress', subject: 'trigger', denial: 'prevents' },
  'compact.after': { ...reported, event: 'PostCompress', subject: 'trigger' },
  notify: { ...reported, event: 'Notification', subject: 'notification_type' },
} as const satisfies Readonly<Record<string, HookPoint>>;

/** A hook point's id. */
export type HookPointId = keyof typeof hookPoints;

/** The API's name of what happens at a hook point (seed 003); `host.` stands before an event that only one host has. */
export type HookEventName = (typeof hookPoints)[HookPointId]['event'] | `host.${string}`;

/**
 * What the engine knows of an event that only a host has: it is fired, merged and reported, and never
 * special. What a denial or a stop does there is for that host to say.
 */
const hostPoint: HookPoint = { ...reported, event: '', denial: 'prevents', stop: true };

const byEvent: ReadonlyMap<string, HookPoint> = new Map(
  Object.values(hookPoints).map((point) => [point.event, point]),
);

/** The hook point of an event. */
export const hookPointOf = (event: HookEventName): HookPoint => byEvent.get(event) ?? hostPoint;

/** The event of a hook point's id or of the API's own name; undefined for any other text. */
export const eventNamed = (name: string): HookEventName | undefined =>
  Object.hasOwn(hookPoints, name)
    ? hookPoints[name as HookPointId].event
    : byEvent.has(name) || /^host\.[\w.-]+$/.test(name)
      ? (name as HookEventName)
      : undefined;

/** The events of all hook points, in their order. */
export const allEvents: readonly HookEventName[] = Object.values(hookPoints).map(
  ({ event }) => event,
);
