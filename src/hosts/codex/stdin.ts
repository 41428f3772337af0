import type { HookPayload } from '../../../machines/hook-event.ts';
import { isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import { codexEventOf, traitsOf, type CodexEventName } from './events.ts';
import { toCodexSource } from './matcher.ts';
import { folderOf, toCodexInput, toCodexResponse, toCodexTool } from './tools.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns what a hook receives (as measured on the host). */
export function toStdin(hook: HookDefinition, payload: HookPayload, context: EventContext): object {
  const event = codexEventOf(hook);
  const { turn, mode } = traitsOf(event);
  const { session_id, transcript_path, cwd, timestamp: _, hook_event_name: __, ...own } = payload;
  const { turn_id, model, permission_mode, ...fields } = own;
  const eventFields = ownFields(event, fields, payload, context);
  const transcript = context.transcriptPath ?? transcript_path;
  return {
    session_id,
    // If the agent reports no turns of its own, each session is one turn.
    ...(turn && { turn_id: turn_id ?? session_id }),
    transcript_path: transcript === '' ? null : (transcript ?? null),
    cwd,
    hook_event_name: event,
    ...(event !== 'SessionEnd' && { model: model ?? '' }),
    ...(mode && { permission_mode: permission_mode ?? 'default' }),
    ...eventFields,
  };
}

/** Returns an event's own fields; fields of the agent that we do not know are passed on unchanged. */
function ownFields(
  event: CodexEventName,
  own: Fields,
  payload: HookPayload,
  { toolCallId }: EventContext,
): Fields {
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PostToolUse': {
      const { tool_response: response, ...others } = own;
      const tool = String(payload['tool_name']);
      const input = isRecord(payload['tool_input']) ? payload['tool_input'] : {};
      const { description } = input;
      const isExplained = event === 'PermissionRequest' && description !== undefined;
      return {
        ...others,
        cwd: folderOf(tool, input, String(payload['cwd'])),
        tool_name: toCodexTool(tool),
        tool_input: { ...toCodexInput(tool, input), ...(isExplained && { description }) },
        ...(event === 'PostToolUse' && { tool_response: toCodexResponse(tool, input, response) }),
        ...(event !== 'PermissionRequest' && { tool_use_id: toolCallId ?? '' }),
      };
    }
    case 'Stop': {
      const { prompt: _, prompt_response: said, ...rest } = own;
      return { ...rest, last_assistant_message: said ?? null };
    }
    case 'SubagentStop':
      return {
        agent_transcript_path: null,
        ...own,
        last_assistant_message: own['last_assistant_message'] ?? null,
      };
    case 'SessionStart':
      return { ...own, source: toCodexSource(String(own['source'])) };
    case 'SessionEnd':
      return { reason: 'other' };
    case 'PreCompact':
    case 'PostCompact': {
      const { compact_summary: _, ...rest } = own;
      return rest;
    }
    default:
      return own;
  }
}
