import { object, oneOf, type Shape } from '../../core/protocol/fields.ts';
import type { CallResult, CheckedCall, Dialect, ReadCall } from '../../core/dialects/dialect.ts';
import { call, checkedCall, claudeShapes, failureOf, ownFields } from '../parts/host-call.ts';
import type { QwenEventName } from './events.ts';
import { fromClaudeWord } from '../parts/matching.ts';
import { fromQwenInput, fromQwenTool, toQwenInput } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The shapes of events' own fields that come from outside. More fields are tolerated. */
const shapes: Readonly<Partial<Record<QwenEventName, Shape>>> = {
  ...claudeShapes,
  PermissionDenied: call,
  PostToolUse: { ...call, tool_response: object },
  SessionStart: { source: oneOf(['startup', 'resume', 'clear', 'compact', 'branch']) },
};

/** Reads an event from an agent that speaks Qwen Code, into canonical form. */
export const readCall: Dialect['readCall'] = (event, given): CheckedCall => {
  const native = event as QwenEventName;
  return checkedCall(shapes[native] ?? {}, given, (fields) => inCanonicalForm(native, fields));
};

function inCanonicalForm(event: QwenEventName, fields: Fields): ReadCall {
  const { own, made } = ownFields(withoutTimestamp(fields));
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PermissionDenied':
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const tool_name = fromQwenTool(own['tool_name'] as string);
      return made({
        tool_name,
        tool_input: fromQwenInput(tool_name, own['tool_input'] as Fields),
        ...(event === 'PostToolUseFailure' && { tool_response: failureOf(own['error'] as string) }),
      });
    }
    case 'UserPromptSubmit':
      // Qwen Code fires it again, without a prompt, when it sends tool results.
      return own['prompt'] === '' ? { ...made({}), isOnlyTheirs: true } : made({});
    case 'Stop': {
      const { last_assistant_message: said = '', ...rest } = own;
      return {
        ...made({}),
        fields: { ...rest, prompt: '', prompt_response: said },
      };
    }
    case 'Notification':
      return made({
        details: {},
        notification_type: fromClaudeWord(event, own['notification_type'] as string),
      });
    case 'SessionStart':
      return made({ source: fromClaudeWord(event, own['source'] as string) });
    default:
      return made({});
  }
}

const withoutTimestamp = ({ timestamp: _, ...fields }: Fields): Fields => fields;

/** Returns what is reported to such an agent: the final arguments as Qwen Code has them. */
export const reportCall = ({ toolName = '', toolInput }: CallResult) => ({
  toolInput: toolInput && toQwenInput(toolName, toolInput),
});
