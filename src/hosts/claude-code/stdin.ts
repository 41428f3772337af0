import type { HookPayload } from '../../../machines/hook-event.ts';
import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import { durationOf } from '../parts/tool-facts.ts';
import { claudeEventOf, traitsOf, type ClaudeEventName } from './events.ts';
import { toClaudeWord } from '../parts/matching.ts';
import { toClaudeResponse } from './tool-response.ts';
import { toClaudeInput, toClaudeTool } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns what a hook receives (as measured on the host). */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const native = claudeEventOf(hook);
  const { session_id, transcript_path, cwd, timestamp: _, hook_event_name: __, ...own } = payload;
  const { permission_mode, ...fields } = ownFields(native, own, payload, context);
  return {
    session_id,
    transcript_path: context.transcriptPath ?? transcript_path,
    cwd,
    ...(!withoutMode.has(native) && { permission_mode: permission_mode ?? 'default' }),
    hook_event_name: native,
    ...fields,
  };
}

/** The events without a permission mode. */
const withoutMode: ReadonlySet<ClaudeEventName> = new Set<ClaudeEventName>([
  'SessionStart',
  'SessionEnd',
  'MessageDisplay',
]);

/** Returns an event's own fields; fields of the agent that we do not know are passed on unchanged. */
function ownFields(
  event: ClaudeEventName,
  own: Fields,
  payload: HookPayload,
  { toolCallId, toolDuration }: EventContext,
): Fields {
  const { subject } = traitsOf(event);
  const word = subject === undefined ? undefined : payload[subject];
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const { tool_response: response, ...others } = own;
      const tool = String(payload['tool_name']);
      const call = {
        tool,
        input: isRecord(payload['tool_input']) ? payload['tool_input'] : {},
        cwd: String(payload['cwd']),
      };
      return {
        ...others,
        tool_name: toClaudeTool(tool),
        tool_input: toClaudeInput(tool, call.input, call.cwd),
        ...(event === 'PostToolUse' && {
          tool_response: toClaudeResponse(call, response),
        }),
        ...(event === 'PostToolUseFailure' && failureIn(others, response)),
        ...(event !== 'PermissionRequest' && { tool_use_id: toolCallId ?? '' }),
        ...((event === 'PostToolUse' || event === 'PostToolUseFailure') &&
          others['duration_ms'] === undefined &&
          durationOf(toolDuration)),
      };
    }
    case 'Stop': {
      const { prompt: _, prompt_response: said, ...rest } = own;
      return { ...rest, ...(typeof said === 'string' && { last_assistant_message: said }) };
    }
    case 'PreCompact':
      return { ...own, custom_instructions: own['custom_instructions'] ?? null };
    case 'Notification': {
      const { details: _, ...rest } = own;
      return { ...rest, notification_type: toClaudeWord(event, String(word)) };
    }
    case 'SessionStart':
    case 'SessionEnd':
      return { ...own, [subject!]: toClaudeWord(event, String(word)) };
    default:
      return own;
  }
}

/** Describes how a tool failed. */
function failureIn({ error: said, is_interrupt: given }: Fields, response: unknown): Fields {
  const { llmContent, error } = isRecord(response) ? response : {};
  const { type, message } = isRecord(error) ? error : {};
  return {
    error: [message, said].find((text) => typeof text === 'string') ?? textsIn(llmContent),
    is_interrupt: given ?? type === 'cancelled',
  };
}
