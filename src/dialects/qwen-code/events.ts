import type { HookEventName } from '../../protocol/events.ts';
import type { HookDefinition } from '../../settings/hook-definition.ts';

/** What the engine must know of one of Qwen Code's events. */
interface QwenEvent {
  /** What it is to us. */
  readonly at: HookEventName;
  /** The field of its stdin that matchers are compared with; absent where they are ignored. */
  readonly subject?: string;
  /** Whether a denial counts. */
  readonly blocks?: true;
  /** What `continue: false` comes to; absent where it is ignored. */
  readonly stop?: 'denies' | 'replaces';
  /** Whether `additionalContext` reaches the model. */
  readonly context?: true;
  /** Whether plain text on stdout is for the model. */
  readonly textIsContext?: true;
  /** Whether a denial that Qwen Code would lose stands (S-04). */
  readonly keepsDenials?: true;
}

const tool = { subject: 'tool_name' } as const;

/** Qwen Code's events, as measured. */
export const qwenEvents = {
  PreToolUse: { at: 'BeforeTool', ...tool, blocks: true, stop: 'denies', keepsDenials: true },
  PermissionRequest: { at: 'ToolPermission', ...tool },
  PostToolUse: { at: 'AfterTool', ...tool, blocks: true, stop: 'replaces', context: true },
  PostToolUseFailure: { at: 'ToolFailed', ...tool, blocks: true, context: true },
  UserPromptSubmit: {
    at: 'BeforeAgent',
    blocks: true,
    stop: 'denies',
    context: true,
    textIsContext: true,
    keepsDenials: true,
  },
  Stop: { at: 'AfterAgent', blocks: true, stop: 'denies' },
  SubagentStart: { at: 'SubagentStart', subject: 'agent_type', context: true },
  SubagentStop: { at: 'SubagentStop', subject: 'agent_type', blocks: true, stop: 'denies' },
  SessionStart: { at: 'SessionStart', subject: 'source', context: true, textIsContext: true },
  SessionEnd: { at: 'SessionEnd', subject: 'reason' },
  PreCompact: { at: 'PreCompress', subject: 'trigger', context: true },
  PostCompact: { at: 'PostCompress', subject: 'trigger' },
  Notification: { at: 'Notification', subject: 'notification_type' },
  PostToolBatch: { at: 'host.PostToolBatch', blocks: true, stop: 'denies', context: true },
  UserPromptExpansion: {
    at: 'host.UserPromptExpansion',
    blocks: true,
    stop: 'denies',
    context: true,
    textIsContext: true,
  },
  PermissionDenied: { at: 'host.PermissionDenied', ...tool },
  StopFailure: { at: 'host.StopFailure', subject: 'error' },
  TodoCreated: { at: 'host.TodoCreated', blocks: true },
  TodoCompleted: { at: 'host.TodoCompleted', blocks: true },
  MessageDisplay: { at: 'host.MessageDisplay' },
  InstructionsLoaded: { at: 'host.InstructionsLoaded' },
  SessionDelete: { at: 'host.SessionDelete' },
} as const satisfies Readonly<Record<string, QwenEvent>>;

/** Qwen Code's own name of an event. */
export type QwenEventName = keyof typeof qwenEvents;

/** What the engine must know of an event. */
export const traitsOf = (event: QwenEventName): QwenEvent => qwenEvents[event];

/** Its name of a hook's event; of several that are one to us, the first, where a definition does not say it. */
export const qwenEventOf = ({
  nativeEvent,
  event,
}: Pick<HookDefinition, 'nativeEvent' | 'event'>): QwenEventName =>
  (nativeEvent ??
    Object.keys(qwenEvents).find(
      (name) => qwenEvents[name as QwenEventName].at === event,
    )) as QwenEventName;
