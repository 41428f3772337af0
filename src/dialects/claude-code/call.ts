import {
  flag,
  object,
  oneOf,
  optional,
  readShape,
  text,
  withDefault,
  type Field,
  type Shape,
} from '../../protocol/fields.ts';
import type { CallResult, CheckedCall, Dialect, ReadCall } from '../dialect.ts';
import type { ClaudeEventName } from './events.ts';
import { fromClaudeWord } from './matcher.ts';
import { fromClaudeResponse, toClaudeResponse } from './tool-response.ts';
import { fromClaudeInput, fromClaudeTool, toClaudeInput } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

const anything: Field<unknown> = { mayBeAbsent: false, read: (value) => value };
const call = { tool_name: text, tool_input: object, tool_use_id: optional(text) };
const stop = {
  stop_hook_active: withDefault(flag, () => false),
  last_assistant_message: optional(text),
};
const trigger = { trigger: oneOf(['manual', 'auto']) };

/** What an event's own fields must be where they come from outside. More fields are tolerated. */
const shapes: Readonly<Partial<Record<ClaudeEventName, Shape>>> = {
  PreToolUse: call,
  PermissionRequest: call,
  PostToolUse: { ...call, tool_response: anything },
  PostToolUseFailure: { ...call, error: text },
  UserPromptSubmit: { prompt: text },
  Stop: stop,
  SubagentStop: { agent_id: text, agent_type: text, ...stop },
  SubagentStart: { agent_id: text, agent_type: text },
  SessionStart: { source: oneOf(['startup', 'resume', 'clear', 'compact', 'fork']) },
  SessionEnd: { reason: text },
  PreCompact: trigger,
  PostCompact: trigger,
  Notification: { message: text, notification_type: withDefault(text, () => '') },
};

/** An event as an agent that speaks Claude Code gives it, in canonical form. */
export const readCall: Dialect['readCall'] = (event, given): CheckedCall => {
  const native = event as ClaudeEventName;
  const faults: string[] = [];
  const fields = readShape(shapes[native] ?? {}, given, faults);
  return faults.length > 0 ? { faults } : inOurWords(native, fields);
};

function inOurWords(event: ClaudeEventName, fields: Fields): ReadCall {
  const { tool_use_id: toolCallId, ...own } = withoutBase(fields);
  const made = (canonical: Fields): ReadCall => ({
    fields: { ...own, ...canonical },
    context: {
      toolCallId: toolCallId as string | undefined,
      ...(typeof fields['transcript_path'] === 'string' && {
        transcriptPath: fields['transcript_path'],
      }),
    },
  });
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const tool_name = fromClaudeTool(own['tool_name'] as string);
      return made({
        tool_name,
        tool_input: fromClaudeInput(tool_name, own['tool_input'] as Fields),
        ...(event === 'PostToolUse' && {
          tool_response: fromClaudeResponse(tool_name, own['tool_response']),
        }),
        ...(event === 'PostToolUseFailure' && { tool_response: failureOf(own['error'] as string) }),
      });
    }
    case 'Stop': {
      const { last_assistant_message: said = '' } = own;
      return made({ prompt: '', prompt_response: said });
    }
    case 'Notification':
      return made({ details: {} });
    case 'SessionStart':
      return made({ source: fromClaudeWord(event, own['source'] as string) });
    default:
      return made({});
  }
}

/** The result of a tool that failed. */
const failureOf = (message: string): Fields => ({
  llmContent: message,
  returnDisplay: message,
  error: { message },
});

/** The fields of every event are ours, whatever an agent gives. */
const base: ReadonlySet<string> = new Set([
  'hook_event_name',
  'session_id',
  'transcript_path',
  'cwd',
]);

const withoutBase = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !base.has(name)));

/** What such an agent is told: final arguments and a replaced result as Claude Code has them. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && toClaudeInput(toolName, toolInput),
  toolOutput: toolResponse
    ? toClaudeResponse({ tool: toolName, input: toolInput ?? {} }, toolResponse)
    : null,
  followUps,
});
