import type { HookEventName } from '../../core/protocol/events.ts';
import { eventTable } from '../parts/event-table.ts';

/** What the engine must know about one of Codex's events. */
interface CodexEvent {
  /** Our name for the event. */
  readonly at: HookEventName;
  /** The stdin field that matchers are compared with; absent if they are ignored. */
  readonly subject?: string;
  /** What plain text on stdout means; default: nothing. */
  readonly text?: 'context' | 'a failure';
  /** What exit 2 with text on stderr does; default: it is a failure. */
  readonly exit2?: 'denies' | 'replaces' | 'sends on';
  /** Whether a denial that Codex would lose still counts. */
  readonly keepsDenials?: true;
  /** Whether its stdin has a turn, and a permission mode. */
  readonly turn?: true;
  readonly mode?: true;
  /** The default timeout of its hooks, in seconds; they may take at most three times as long. */
  readonly seconds?: number;
}

const tool = { subject: 'tool_name', turn: true, mode: true } as const;

/** Codex's events (as measured). */
const events = {
  PreToolUse: { at: 'BeforeTool', ...tool, exit2: 'denies', keepsDenials: true },
  PermissionRequest: { at: 'ToolPermission', ...tool, exit2: 'denies' },
  PostToolUse: { at: 'AfterTool', ...tool, exit2: 'replaces' },
  UserPromptSubmit: {
    at: 'BeforeAgent',
    text: 'context',
    exit2: 'denies',
    keepsDenials: true,
    turn: true,
    mode: true,
  },
  Stop: { at: 'AfterAgent', text: 'a failure', exit2: 'sends on', turn: true, mode: true },
  SubagentStart: {
    at: 'SubagentStart',
    subject: 'agent_type',
    text: 'context',
    turn: true,
    mode: true,
  },
  SubagentStop: {
    at: 'SubagentStop',
    subject: 'agent_type',
    text: 'a failure',
    exit2: 'sends on',
    turn: true,
    mode: true,
  },
  SessionStart: { at: 'SessionStart', subject: 'source', text: 'context', mode: true },
  SessionEnd: { at: 'SessionEnd', seconds: 1 },
  PreCompact: { at: 'PreCompress', subject: 'trigger', turn: true },
  PostCompact: { at: 'PostCompress', subject: 'trigger', turn: true },
  Interrupt: { at: 'host.Interrupt', turn: true, mode: true, seconds: 1 },
} as const satisfies Readonly<Record<string, CodexEvent>>;

/** Codex's own name for an event. */
export type CodexEventName = keyof typeof events;

/** Codex's events, by its own names. */
export const codexEvents = eventTable<CodexEventName, CodexEvent>(events);

export const { traitsOf, eventOf: codexEventOf } = codexEvents;

/** Returns an event's name as Codex writes it in the keys under which the user's config remembers hooks. */
export const snakeOf = (event: CodexEventName): string =>
  event.replaceAll(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
