import type { HookPayload } from '../../../machines/hook-event.ts';
import { isRecord } from '../../base/json.ts';
import { textsIn } from '../../core/protocol/tool-result.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import { durationOf } from '../parts/tool-facts.ts';
import { qwenEventOf, traitsOf, type QwenEventName } from './events.ts';
import { toClaudeWord } from '../parts/matching.ts';
import { toQwenInput, toQwenTool } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns what a hook receives (as measured on the host). */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const native = qwenEventOf(hook);
  const { session_id, transcript_path, cwd, timestamp, hook_event_name: _, ...own } = payload;
  const { permission_mode, prompt_id, ...fields } = ownFields(native, own, context);
  return {
    session_id,
    transcript_path: context.transcriptPath ?? transcript_path,
    cwd,
    hook_event_name: native,
    timestamp,
    permission_mode: permission_mode ?? 'default',
    ...(prompt_id !== undefined && { prompt_id }),
    ...fields,
  };
}

/** Returns an event's own fields; further fields that an agent gave are passed on unchanged. */
function ownFields(
  event: QwenEventName,
  own: Fields,
  { toolCallId, toolDuration }: EventContext,
): Fields {
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PermissionDenied':
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const { tool_name: name, tool_input: input, tool_response: response, ...others } = own;
      const tool = String(name);
      return {
        tool_name: toQwenTool(tool),
        tool_input: isRecord(input) ? toQwenInput(tool, input) : input,
        ...(event === 'PostToolUse' && { tool_response: withoutMetadata(response) }),
        ...(event === 'PostToolUseFailure' && failureIn(response)),
        ...(event !== 'PermissionRequest' && { tool_use_id: toolCallId ?? '' }),
        ...(event !== 'PermissionRequest' &&
          toolCallId !== undefined && { tool_call_id: toolCallId }),
        ...(event === 'PostToolUse' && durationOf(toolDuration)),
        ...others,
      };
    }
    case 'Stop': {
      const { prompt: _, prompt_response: said, ...rest } = own;
      return {
        stop_hook_active: false,
        last_assistant_message: typeof said === 'string' ? said : '',
        background_tasks: [],
        crons: [],
        ...rest,
      };
    }
    case 'Notification': {
      const { details: _, ...rest } = own;
      return {
        ...rest,
        notification_type: toClaudeWord(event, String(own['notification_type'])),
      };
    }
    case 'SessionStart':
    case 'SessionEnd': {
      const subject = traitsOf(event).subject!;
      return { ...own, [subject]: toClaudeWord(event, String(own[subject])) };
    }
    default:
      return own;
  }
}

function withoutMetadata(response: unknown): unknown {
  if (!isRecord(response)) return response;
  const { metadata: _, ...rest } = response;
  return rest;
}

/** Returns the fields that say how a tool failed. */
function failureIn(response: unknown): Fields {
  const { llmContent, error } = isRecord(response) ? response : {};
  const { type, message } = isRecord(error) ? error : {};
  return {
    error: typeof message === 'string' ? message : textsIn(llmContent),
    ...(type === 'cancelled' && { is_interrupt: true }),
  };
}
