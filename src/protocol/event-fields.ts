import type { HookEventName } from './events.ts';
import {
  flag,
  object,
  oneOf,
  readShape,
  text,
  withDefault,
  type Shape,
  type Shaped,
} from './fields.ts';
import type { HookEventFields } from './input.ts';

/**
 * The required shape of each event's own fields from outside (seed 003 "Input Interfaces"). More fields are
 * tolerated.
 */
const shapes = {
  BeforeTool: { tool_name: text, tool_input: object },
  AfterTool: { tool_name: text, tool_input: object, tool_response: object },
  BeforeAgent: { prompt: text },
  AfterAgent: {
    prompt: text,
    prompt_response: text,
    stop_hook_active: withDefault(flag, () => false),
  },
  BeforeModel: { llm_request: object },
  AfterModel: { llm_request: object, llm_response: object },
  BeforeToolSelection: { llm_request: object },
  SessionStart: { source: oneOf(['startup', 'resume', 'clear', 'compress']) },
  SessionEnd: { reason: oneOf(['exit', 'clear', 'logout', 'prompt_input_exit', 'other']) },
  PreCompress: { trigger: oneOf(['manual', 'auto']) },
  Notification: {
    notification_type: text,
    message: text,
    details: withDefault(object, () => ({})),
  },
  ToolPermission: { tool_name: text, tool_input: object },
  ToolFailed: { tool_name: text, tool_input: object, error: text },
  SubagentStart: { agent_id: text, agent_type: text },
  SubagentStop: {
    agent_id: text,
    agent_type: text,
    stop_hook_active: withDefault(flag, () => false),
  },
  PostCompress: { trigger: oneOf(['manual', 'auto']) },
} satisfies Readonly<Record<string, Shape>>;

/**
 * An event's fields as they may arrive from outside: without defaults, and with model calls in an unchecked
 * format.
 */
export type OutsideEventFields = {
  [Event in keyof typeof shapes]: Shaped<(typeof shapes)[Event]>;
};

/** Whether a value has all fields that an event needs; does not throw for any value (DELTA-HPAY-005). */
export function isEventFields<Event extends keyof typeof shapes>(
  event: Event,
  value: unknown,
): value is OutsideEventFields[Event] {
  try {
    return 'fields' in checkEventFields(event, value);
  } catch {
    return false;
  }
}

/** Checks an event's fields from outside, and returns them or their faults, one sentence per field. */
export function checkEventFields<Event extends HookEventName>(
  event: Event,
  value: unknown,
): { fields: HookEventFields[Event] } | { faults: string[] } {
  const faults: string[] = [];
  const fields = readShape((shapes as Readonly<Record<string, Shape>>)[event] ?? {}, value, faults);
  return faults.length > 0 ? { faults } : { fields: fields as unknown as HookEventFields[Event] };
}
