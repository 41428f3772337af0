/** A value of an event's payload that an answer may change. */
export type Slot = 'tool_input' | 'tool_response' | 'llm_request' | 'llm_response' | 'toolConfig';

/** A point in an agent's lifecycle where hooks may run. */
export interface HookPoint {
  /** The API's name for its event. */
  readonly event: string;
  /** The field of the payload that matchers are compared with. */
  readonly subject?: string;
  /** The values that an answer may change. */
  readonly slots: readonly Slot[];
  /**
   * What a denial does: it prevents the operation, makes the agent continue with the reason, only tells the
   * model the reason, or is only reported.
   */
  readonly denial: 'prevents' | 'sends on' | 'tells' | 'is reported';
  /** Whether a hook may require that the user is asked. */
  readonly ask: boolean;
  /** Whether a hook may defer the call until someone has answered. */
  readonly defer: boolean;
  /** Whether a hook may end the agent's work. */
  readonly stop: boolean;
  /** The operation may not continue here while its guards are unknown. */
  readonly needsGuards: boolean;
  /**
   * How the output of hooks that were not waited for is reported here: as context or as a message, depending
   * on which one the model reads.
   */
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

/** Every hook point. This is the only list of events. */
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
  'tool.failed': {
    ...reported,
    event: 'ToolFailed',
    subject: 'tool_name',
    denial: 'tells',
    stop: true,
  },
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

/** The API's name for an event. `host.` precedes an event that only one host has. */
export type HookEventName = (typeof hookPoints)[HookPointId]['event'] | `host.${string}`;

/**
 * The hook point of any event that only one host has: it is fired, merged and reported, but has no special
 * meaning. What a denial or a stop does there is up to the host.
 */
const hostPoint: HookPoint = { ...reported, event: '', denial: 'prevents', stop: true };

const byEvent: ReadonlyMap<string, HookPoint> = new Map(
  Object.values(hookPoints).map((point) => [point.event, point]),
);

/** Returns the hook point of an event. */
export const hookPointOf = (event: HookEventName): HookPoint => byEvent.get(event) ?? hostPoint;

/** Returns the event for a hook point's id or for the API's own name; undefined for any other text. */
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
