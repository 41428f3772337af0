import {
  anything,
  flag,
  oneOf,
  optional,
  text,
  withDefault,
  type Shape,
} from '../../core/protocol/fields.ts';
import type { CallResult, CheckedCall, Dialect, ReadCall } from '../../core/dialects/dialect.ts';
import { call, failureOf, ownFields, trigger, checkedCall } from '../parts/host-call.ts';
import type { ClaudeEventName } from './events.ts';
import { fromClaudeWord } from '../parts/matching.ts';
import { fromClaudeResponse, toClaudeResponse } from './tool-response.ts';
import { fromClaudeInput, fromClaudeTool, toClaudeInput } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

const stop = {
  stop_hook_active: withDefault(flag, () => false),
  last_assistant_message: optional(text),
};

/** What an event's own fields must be when they come from outside. Extra fields are tolerated. */
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

/** Reads an event from an agent that speaks Claude Code into canonical form. */
export const readCall: Dialect['readCall'] = (event, given): CheckedCall => {
  const native = event as ClaudeEventName;
  return checkedCall(shapes[native] ?? {}, given, (fields) => inCanonicalForm(native, fields));
};

function inCanonicalForm(event: ClaudeEventName, fields: Fields): ReadCall {
  const { own, made } = ownFields(fields);
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

/** Returns what such an agent is told: the final arguments and a replaced result, in Claude Code's form. */
export const reportCall = ({ toolName = '', toolInput, toolResponse, followUps }: CallResult) => ({
  toolInput: toolInput && toClaudeInput(toolName, toolInput),
  toolOutput: toolResponse
    ? toClaudeResponse({ tool: toolName, input: toolInput ?? {} }, toolResponse)
    : null,
  followUps,
});
