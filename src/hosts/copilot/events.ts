import type { HookEventName } from '../../core/protocol/events.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';

/** What the engine must know about one of Copilot's events. */
interface CopilotPoint {
  /** Our name for the event. */
  readonly at: HookEventName;
  /**
   * Its other name: hooks under this name receive and answer what Claude Code's hooks do, as far as
   * Copilot supports it.
   */
  readonly pascal: string;
  /** Our field that matchers are compared with; absent if they are ignored. */
  readonly subject?: 'tool_name' | 'trigger' | 'agent_type' | 'notification_type';
  /** Whether a denial that Copilot would lose still counts. */
  readonly keepsDenials?: true;
  /** Whether `additionalContext` is read. */
  readonly context?: true;
  /** Fields of an answer that have a meaning only in Copilot. */
  readonly own?: readonly string[];
}

const tool = { subject: 'tool_name' } as const;

/**
 * Copilot's events under their own names (docs.github.com "GitHub Copilot hooks reference", and as
 * measured).
 */
export const copilotPoints = {
  sessionStart: { at: 'SessionStart', pascal: 'SessionStart', context: true },
  sessionEnd: { at: 'SessionEnd', pascal: 'SessionEnd' },
  userPromptSubmitted: {
    at: 'BeforeAgent',
    pascal: 'UserPromptSubmit',
    keepsDenials: true,
    context: true,
    own: ['modifiedPrompt', 'handled', 'responseContent'],
  },
  userPromptTransformed: {
    at: 'host.userPromptTransformed',
    pascal: 'UserPromptTransformed',
    own: ['modifiedTransformedPrompt'],
  },
  preToolUse: {
    at: 'BeforeTool',
    pascal: 'PreToolUse',
    ...tool,
    keepsDenials: true,
    context: true,
  },
  permissionRequest: {
    at: 'ToolPermission',
    pascal: 'PermissionRequest',
    ...tool,
    keepsDenials: true,
  },
  postToolUse: { at: 'AfterTool', pascal: 'PostToolUse', ...tool, context: true },
  postToolUseFailure: { at: 'ToolFailed', pascal: 'PostToolUseFailure', context: true },
  agentStop: { at: 'AfterAgent', pascal: 'Stop' },
  subagentStart: {
    at: 'SubagentStart',
    pascal: 'SubagentStart',
    subject: 'agent_type',
    context: true,
  },
  subagentStop: { at: 'SubagentStop', pascal: 'SubagentStop', own: ['modifiedResponse'] },
  errorOccurred: { at: 'host.errorOccurred', pascal: 'ErrorOccurred' },
  preCompact: { at: 'PreCompress', pascal: 'PreCompact', subject: 'trigger' },
  notification: {
    at: 'Notification',
    pascal: 'Notification',
    subject: 'notification_type',
    context: true,
  },
} as const satisfies Readonly<Record<string, CopilotPoint>>;

/** Copilot's own name for an event. */
export type CopilotPointName = keyof typeof copilotPoints;

/** An event under one of its two names; the name says in which form its hooks receive it. */
export interface CopilotEvent {
  /** Its name in the settings. */
  readonly name: string;
  readonly point: CopilotPointName;
  readonly isPascal: boolean;
}

const names = Object.keys(copilotPoints) as CopilotPointName[];

const byName: ReadonlyMap<string, CopilotEvent> = new Map(
  [false, true].flatMap((isPascal) =>
    names.map((point) => {
      const name = isPascal ? copilotPoints[point].pascal : point;
      return [name, { name, point, isPascal }] as const;
    }),
  ),
);

/** Returns the event with a name; undefined if there is none. */
export const copilotEventNamed = (name: string): CopilotEvent | undefined => byName.get(name);

/** The names of all events, those in camel case first. */
export const copilotEventNames: readonly string[] = [...byName.keys()];

/** Our names for all events, by each of their names. */
export const copilotEvents: Readonly<Record<string, HookEventName>> = Object.fromEntries(
  [...byName].map(([name, { point }]) => [name, copilotPoints[point].at]),
);

/** What the engine must know about an event. */
export const traitsOf = ({ point }: Pick<CopilotEvent, 'point'>): CopilotPoint =>
  copilotPoints[point];

/**
 * Returns the event of a hook. If the definition does not name it, it is the first of those that are
 * the same event to us.
 */
export const copilotEventOf = ({
  nativeEvent,
  event,
}: Pick<HookDefinition, 'nativeEvent' | 'event'>): CopilotEvent =>
  byName.get(nativeEvent ?? names.find((name) => copilotPoints[name].at === event) ?? '')!;
