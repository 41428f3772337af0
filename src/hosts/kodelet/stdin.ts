import type { HookPayload } from '../../../machines/hook-event.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { fieldsOf } from '../../base/json.ts';
import type { EventContext } from '../../core/answers/event-context.ts';
import {
  kodeletEventOf,
  kodeletEvents,
  exchangeNames,
  toKodeletOutput,
  toKodeletTool,
} from './vocabulary.ts';

/** Returns what `<hook> run` receives. */
export function toStdin(event: HookEventName, payload: HookPayload, context: EventContext): object {
  return {
    event: kodeletEventOf(event),
    conv_id: payload['session_id'],
    ...ownFields(event, payload, context),
    cwd: payload['cwd'],
    invoked_by: context.invokedBy ?? 'main',
    ...(context.recipeName !== undefined && { recipe_name: context.recipeName }),
  };
}

function ownFields(event: HookEventName, payload: HookPayload, context: EventContext): object {
  const name = String(payload['tool_name']);
  const call = () => ({
    tool_name: toKodeletTool(name),
    tool_input: exchangeNames(name, fieldsOf(payload['tool_input'])),
  });
  const tool_user_id = context.toolCallId ?? '';
  switch (event) {
    case 'BeforeTool':
      return { ...call(), tool_user_id };
    case 'AfterTool': {
      const tool_output = toKodeletOutput(name, payload['tool_response']);
      return { ...call(), tool_output, tool_user_id };
    }
    case 'BeforeAgent':
      return { message: payload['prompt'] };
    case 'AfterAgent':
      return { messages: context.messages?.() ?? [] };
    case kodeletEvents.turn_end:
      return { response: payload['response'], turn_number: payload['turn_number'] };
    default:
      return {};
  }
}
