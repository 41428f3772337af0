import {
  flag,
  object,
  oneOf,
  optional,
  readShape,
  text,
  withDefault,
  type Shape,
} from '../../core/protocol/fields.ts';
import type { CheckedCall, ReadCall } from '../../core/dialects/dialect.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Event fields that several hosts have in common. */
export const call = { tool_name: text, tool_input: object, tool_use_id: optional(text) };
export const trigger = { trigger: oneOf(['manual', 'auto']) };

const stop = {
  stop_hook_active: withDefault(flag, () => false),
  last_assistant_message: optional(text),
};
const subagent = { agent_id: text, agent_type: text };

/** What the own fields of Claude Code's events must be; hosts that follow it have the same. */
export const claudeShapes = {
  PreToolUse: call,
  PermissionRequest: call,
  PostToolUseFailure: { ...call, error: text },
  UserPromptSubmit: { prompt: text },
  Stop: stop,
  SubagentStop: { ...subagent, ...stop },
  SubagentStart: subagent,
  SessionEnd: { reason: text },
  PreCompact: trigger,
  PostCompact: trigger,
  Notification: { message: text, notification_type: withDefault(text, () => '') },
} as const satisfies Readonly<Record<string, Shape>>;

/** The fields that every event has: we set them ourselves, whatever an agent gives. */
const base: ReadonlySet<string> = new Set([
  'hook_event_name',
  'session_id',
  'transcript_path',
  'cwd',
]);

/** Returns an event's own fields, and a function that makes the event from them and canonical fields. */
export function ownFields(fields: Fields): {
  readonly own: Fields;
  readonly made: (canonical: Fields) => ReadCall;
} {
  const { tool_use_id: toolCallId, ...own } = Object.fromEntries(
    Object.entries(fields).filter(([name]) => !base.has(name)),
  );
  const { transcript_path: transcriptPath } = fields;
  const context = {
    toolCallId: toolCallId as string | undefined,
    ...(typeof transcriptPath === 'string' && { transcriptPath }),
  };
  return { own, made: (canonical) => ({ fields: { ...own, ...canonical }, context }) };
}

/** Checks that an event's own fields have this shape; returns it in canonical form, or what is wrong. */
export function checkedCall(
  shape: Shape,
  given: Fields,
  inCanonicalForm: (fields: Fields) => ReadCall,
): CheckedCall {
  const faults: string[] = [];
  const fields = readShape(shape, given, faults);
  return faults.length > 0 ? { faults } : inCanonicalForm(fields);
}

/** The result of a failed tool. */
export const failureOf = (message: string): Fields => ({
  llmContent: message,
  returnDisplay: message,
  error: { message },
});
