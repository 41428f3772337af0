import type { HookEventName } from '../../protocol/events.ts';
import type { HookDefinition } from '../../settings/hook-definition.ts';

/** What the engine must know of one of Copilot's events. */
interface CopilotPoint {
  /** What it is to us. */
  readonly at: HookEventName;
  /** Its other name: hooks that stand under it receive and answer as those of Claude Code do, as far as Copilot does that. */
  readonly pascal: string;
  /** Our field that matchers are compared with; absent where they are ignored. */
  readonly subject?: 'tool_name' | 'trigger' | 'agent_type' | 'notification_type';
  /** Whether a denial that Copilot would lose stands (S-04). */
  readonly keepsDenials?: true;
}

const tool = { subject: 'tool_name' } as const;

/** Copilot's events under their own names (docs.github.com "GitHub Copilot hooks reference", and as measured). */
export const copilotPoints = {
  sessionStart: { at: 'SessionStart', pascal: 'SessionStart' },
  sessionEnd: { at: 'SessionEnd', pascal: 'SessionEnd' },
  userPromptSubmitted: { at: 'BeforeAgent', pascal: 'UserPromptSubmit', keepsDenials: true },
  userPromptTransformed: { at: 'host.userPromptTransformed', pascal: 'UserPromptTransformed' },
  preToolUse: { at: 'BeforeTool', pascal: 'PreToolUse', ...tool, keepsDenials: true },
  permissionRequest: {
    at: 'ToolPermission',
    pascal: 'PermissionRequest',
    ...tool,
    keepsDenials: true,
  },
  postToolUse: { at: 'AfterTool', pascal: 'PostToolUse', ...tool },
  postToolUseFailure: { at: 'ToolFailed', pascal: 'PostToolUseFailure' },
  agentStop: { at: 'AfterAgent', pascal: 'Stop' },
  subagentStart: { at: 'SubagentStart', pascal: 'SubagentStart', subject: 'agent_type' },
  subagentStop: { at: 'SubagentStop', pascal: 'SubagentStop' },
  errorOccurred: { at: 'host.errorOccurred', pascal: 'ErrorOccurred' },
  preCompact: { at: 'PreCompress', pascal: 'PreCompact', subject: 'trigger' },
  notification: { at: 'Notification', pascal: 'Notification', subject: 'notification_type' },
} as const satisfies Readonly<Record<string, CopilotPoint>>;

/** Copilot's own name of an event. */
export type CopilotPointName = keyof typeof copilotPoints;

/** An event by one of its two names, which says in which form its hooks receive it. */
export interface CopilotEvent {
  /** As the settings have it. */
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

/** The event of a name; undefined for any other text. */
export const copilotEventNamed = (name: string): CopilotEvent | undefined => byName.get(name);

/** The names of all events, those in camel case first. */
export const copilotEventNames: readonly string[] = [...byName.keys()];

/** What the engine must know of an event. */
export const traitsOf = ({ point }: Pick<CopilotEvent, 'point'>): CopilotPoint =>
  copilotPoints[point];

/** The event of a hook; of several that are one to us, the first, where a definition does not say it. */
export const copilotEventOf = ({
  nativeEvent,
  event,
}: Pick<HookDefinition, 'nativeEvent' | 'event'>): CopilotEvent =>
  byName.get(nativeEvent ?? names.find((name) => copilotPoints[name].at === event) ?? '')!;
