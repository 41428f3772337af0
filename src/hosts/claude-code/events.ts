import type { HookEventName } from '../../core/protocol/events.ts';
import { eventTable } from '../parts/event-table.ts';

/** What the engine must know about one of Claude Code's events. */
interface ClaudeEvent {
  /** Our name for the event. */
  readonly at: HookEventName;
  /** The stdin field that matchers are compared with; absent if they are ignored. */
  readonly subject?: string;
  /** Whether `decision: "block"` and exit 2 block anything. */
  readonly blocks?: true;
  /** Whether `continue: false` ends the agent. */
  readonly stops?: true;
  /** Whether plain text on stdout goes to the model. */
  readonly textIsContext?: true;
  /** Whether a denial that Claude Code would lose still counts. */
  readonly keepsDenials?: true;
}

const tool = { subject: 'tool_name' } as const;

/** Claude Code's events (code.claude.com/docs/en/hooks, and as measured). */
const events = {
  PreToolUse: { at: 'BeforeTool', ...tool, blocks: true, stops: true, keepsDenials: true },
  PermissionRequest: { at: 'ToolPermission', ...tool, stops: true, keepsDenials: true },
  PostToolUse: { at: 'AfterTool', ...tool, blocks: true, stops: true },
  PostToolUseFailure: { at: 'ToolFailed', ...tool, blocks: true, stops: true },
  UserPromptSubmit: {
    at: 'BeforeAgent',
    blocks: true,
    stops: true,
    textIsContext: true,
    keepsDenials: true,
  },
  Stop: { at: 'AfterAgent', blocks: true, stops: true },
  SubagentStart: { at: 'SubagentStart', subject: 'agent_type' },
  SubagentStop: { at: 'SubagentStop', subject: 'agent_type', blocks: true, stops: true },
  SessionStart: { at: 'SessionStart', subject: 'source', textIsContext: true },
  SessionEnd: { at: 'SessionEnd', subject: 'reason' },
  PreCompact: { at: 'PreCompress', subject: 'trigger', blocks: true, textIsContext: true },
  PostCompact: { at: 'PostCompress', subject: 'trigger' },
  Notification: { at: 'Notification', subject: 'notification_type' },
  PermissionDenied: { at: 'host.PermissionDenied', ...tool },
  PostToolBatch: { at: 'host.PostToolBatch', blocks: true, stops: true },
  UserPromptExpansion: {
    at: 'host.UserPromptExpansion',
    subject: 'command_name',
    blocks: true,
    stops: true,
    textIsContext: true,
    keepsDenials: true,
  },
  Setup: { at: 'host.Setup', subject: 'trigger', textIsContext: true },
  StopFailure: { at: 'host.StopFailure', subject: 'error' },
  PreModelSwitch: { at: 'host.PreModelSwitch', subject: 'to_model', blocks: true },
  PostModelSwitch: { at: 'host.PostModelSwitch', subject: 'to_model' },
  TeammateIdle: { at: 'host.TeammateIdle', blocks: true, stops: true },
  TaskCreated: { at: 'host.TaskCreated', blocks: true, stops: true },
  TaskCompleted: { at: 'host.TaskCompleted', blocks: true, stops: true },
  Elicitation: { at: 'host.Elicitation', subject: 'mcp_server_name', blocks: true },
  ElicitationResult: { at: 'host.ElicitationResult', subject: 'mcp_server_name', blocks: true },
  ConfigChange: { at: 'host.ConfigChange', subject: 'source', blocks: true },
  InstructionsLoaded: { at: 'host.InstructionsLoaded', subject: 'load_reason' },
  CwdChanged: { at: 'host.CwdChanged' },
  FileChanged: { at: 'host.FileChanged', subject: 'file_path' },
  DirectoryAdded: { at: 'host.DirectoryAdded', subject: 'source' },
  WorktreeCreate: { at: 'host.WorktreeCreate', blocks: true },
  WorktreeRemove: { at: 'host.WorktreeRemove' },
  MessageDisplay: { at: 'host.MessageDisplay' },
} as const satisfies Readonly<Record<string, ClaudeEvent>>;

/** Claude Code's own name for an event. */
export type ClaudeEventName = keyof typeof events;

/** Claude Code's events, by its own names. */
export const claudeEvents = eventTable<ClaudeEventName, ClaudeEvent>(events);

export const { traitsOf, eventOf: claudeEventOf } = claudeEvents;

/** The events of tools, the only ones at which `if` rules are evaluated. */
export const toolEvents: ReadonlySet<ClaudeEventName> = new Set<ClaudeEventName>([
  'PreToolUse',
  'PermissionRequest',
  'PermissionDenied',
  'PostToolUse',
  'PostToolUseFailure',
]);

/** The events whose hooks may set variables for everything that runs later. */
export const setsVariables: ReadonlySet<ClaudeEventName> = new Set<ClaudeEventName>([
  'SessionStart',
  'Setup',
  'CwdChanged',
  'FileChanged',
]);

/**
 * The events at which a failure never blocks, whatever the hook says: an agent that cannot stop would
 * never end.
 */
export const failsOpenAt: ReadonlySet<ClaudeEventName> = new Set<ClaudeEventName>([
  'Stop',
  'SubagentStop',
  'TaskCompleted',
  'TeammateIdle',
]);

/** How long Claude Code waits for a command that does not say how long it may take. */
export const usualSeconds = (event: ClaudeEventName): number => shorter[event] ?? 600;

const shorter: Readonly<Partial<Record<ClaudeEventName, number>>> = {
  UserPromptSubmit: 30,
  PreModelSwitch: 30,
  PostModelSwitch: 30,
  MessageDisplay: 10,
  SessionEnd: 60,
};
