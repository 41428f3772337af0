import type { HookEventName } from '../../core/protocol/events.ts';
import { eventTable } from '../parts/event-table.ts';

/** What the engine must know about one of Qwen Code's events. */
interface QwenEvent {
  /** Our event for it. */
  readonly at: HookEventName;
  /** The field of its stdin that matchers are compared with; absent if they are ignored. */
  readonly subject?: string;
  /** Whether a denial counts. */
  readonly blocks?: true;
  /** The effect of `continue: false`; absent if it is ignored. */
  readonly stop?: 'denies' | 'replaces';
  /** Whether `additionalContext` reaches the model. */
  readonly context?: true;
  /** Whether plain text on stdout is for the model. */
  readonly textIsContext?: true;
  /** Whether a denial that Qwen Code would lose counts. */
  readonly keepsDenials?: true;
}

const tool = { subject: 'tool_name' } as const;

/** Qwen Code's events, as measured. */
const events = {
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

/** Qwen Code's own name for an event. */
export type QwenEventName = keyof typeof events;

/** Qwen Code's events, by its own names. */
export const qwenEvents = eventTable<QwenEventName, QwenEvent>(events);

export const { traitsOf, eventOf: qwenEventOf } = qwenEvents;
