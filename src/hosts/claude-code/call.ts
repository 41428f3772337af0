import { anything, oneOf, type Shape } from '../../core/protocol/fields.ts';
import type { CallResult, CheckedCall, Dialect, ReadCall } from '../../core/dialects/dialect.ts';
import { call, checkedCall, claudeShapes, failureOf, ownFields } from '../parts/host-call.ts';
import type { ClaudeEventName } from './events.ts';
import { fromClaudeWord } from '../parts/matching.ts';
import { fromClaudeResponse, toClaudeResponse } from './tool-response.ts';
import { fromClaudeInput, fromClaudeTool, toClaudeInput } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an event's own fields must be when they come from outside. Extra fields are tolerated. */
const shapes: Readonly<Partial<Record<ClaudeEventName, Shape>>> = {
  ...claudeShapes,
  PostToolUse: { ...call, tool_response: anything },
  SessionStart: { source: oneOf(['startup', 'resume', 'clear', 'compact', 'fork']) },
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
