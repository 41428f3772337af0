import type { HookEventName } from '../../core/protocol/events.ts';
import { eventTable } from '../parts/event-table.ts';

/** What the engine must know about one of Cursor's events. */
interface CursorEvent {
  /** Our name for the event; several of Cursor's may be the same event to us. */
  readonly at: HookEventName;
  /** The calls that it is about, if not all. */
  readonly calls?: 'shell' | 'mcp' | 'read' | 'write';
  /** What matchers are compared with; absent if they are ignored. */
  readonly matched?: 'tool' | 'command' | 'agent' | { readonly word: string };
  /** Whether it waits for a permission: an answer that cannot be read denies. */
  readonly isGate?: true;
}

/** Cursor's events (cursor.com/docs/hooks, and what others have read and tried). */
const events = {
  preToolUse: { at: 'BeforeTool', matched: 'tool', isGate: true },
  beforeShellExecution: { at: 'BeforeTool', calls: 'shell', matched: 'command', isGate: true },
  beforeMCPExecution: { at: 'BeforeTool', calls: 'mcp', matched: 'tool', isGate: true },
  beforeReadFile: { at: 'BeforeTool', calls: 'read', matched: 'tool', isGate: true },
  postToolUse: { at: 'AfterTool', matched: 'tool' },
  postToolUseFailure: { at: 'ToolFailed', matched: 'tool' },
  afterShellExecution: { at: 'AfterTool', calls: 'shell', matched: 'command' },
  afterMCPExecution: { at: 'AfterTool', calls: 'mcp', matched: 'tool' },
  afterFileEdit: { at: 'AfterTool', calls: 'write', matched: 'tool' },
  beforeSubmitPrompt: { at: 'BeforeAgent', matched: { word: 'UserPromptSubmit' } },
  stop: { at: 'AfterAgent', matched: { word: 'Stop' } },
  subagentStart: { at: 'SubagentStart', matched: 'agent', isGate: true },
  subagentStop: { at: 'SubagentStop', matched: 'agent' },
  sessionStart: { at: 'SessionStart' },
  sessionEnd: { at: 'SessionEnd' },
  preCompact: { at: 'PreCompress' },
  afterAgentResponse: { at: 'host.afterAgentResponse', matched: { word: 'AgentResponse' } },
  afterAgentThought: { at: 'host.afterAgentThought', matched: { word: 'AgentThought' } },
  beforeTabFileRead: { at: 'host.beforeTabFileRead', isGate: true },
  afterTabFileEdit: { at: 'host.afterTabFileEdit' },
  workspaceOpen: { at: 'host.workspaceOpen' },
} as const satisfies Readonly<Record<string, CursorEvent>>;

/** Cursor's own name for an event. */
export type CursorEventName = keyof typeof events;

/** Cursor's events, by its own names. */
export const cursorEvents = eventTable<CursorEventName, CursorEvent>(events);

export const { traitsOf, eventOf: cursorEventOf } = cursorEvents;

/**
 * Whether a denial blocks something at this event, so that one that Cursor would lose still counts.
 */
export const keepsDenials = (event: CursorEventName): boolean =>
  traitsOf(event).isGate === true || event === 'beforeSubmitPrompt';
