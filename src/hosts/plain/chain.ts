import type { HookPayload } from '../../../machines/hook-event.ts';
import { isRecord } from '../../base/json.ts';
import type { Answer } from '../../core/answers/answer.ts';
import type { HookEventName } from '../../core/protocol/events.ts';

/**
 * Returns what the next hook of a sequence receives: the changes so far, spread over the input key by
 * key. Only a successful hook changes anything.
 */
export function chainPayload(
  event: HookEventName,
  payload: HookPayload,
  answer: Answer,
): HookPayload {
  const specific = answer.output?.hookSpecificOutput;
  if (!answer.success || specific === undefined) return payload;
  switch (event) {
    case 'BeforeTool':
      return spread(payload, 'tool_input', specific['tool_input']);
    case 'BeforeModel':
      return spread(payload, 'llm_request', specific['llm_request']);
    // A later redactor must not undo an earlier one.
    case 'AfterModel':
      return spread(payload, 'llm_response', specific['llm_response']);
    case 'BeforeAgent': {
      const context = specific['additionalContext'];
      return typeof context === 'string' && context !== ''
        ? { ...payload, prompt: `${String(payload['prompt'])}\n\n${context}` }
        : payload;
    }
    default:
      return payload;
  }
}

function spread(payload: HookPayload, key: string, change: unknown): HookPayload {
  if (!isRecord(change)) return payload;
  const before = payload[key];
  return { ...payload, [key]: { ...(isRecord(before) ? before : {}), ...change } };
}
