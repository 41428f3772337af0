import { z } from 'zod';
import type { HookEventName } from './events.ts';
import type { HookEventFields } from './input.ts';

const object = z.record(z.string(), z.unknown(), 'must be an object');
const text = z.string('must be a string');
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

/** What each event's own fields must be where they come from outside (seed 003 "Input Interfaces"). More fields are tolerated. */
const schemas = {
  BeforeTool: z.looseObject({ tool_name: text, tool_input: object }),
  AfterTool: z.looseObject({ tool_name: text, tool_input: object, tool_response: object }),
  BeforeAgent: z.looseObject({ prompt: text }),
  AfterAgent: z.looseObject({
    prompt: text,
    prompt_response: text,
    stop_hook_active: z.boolean('must be true or false').default(false),
  }),
  BeforeModel: z.looseObject({ llm_request: object }),
  AfterModel: z.looseObject({ llm_request: object, llm_response: object }),
  BeforeToolSelection: z.looseObject({ llm_request: object }),
  SessionStart: z.looseObject({ source: oneOf(['startup', 'resume', 'clear', 'compress']) }),
  SessionEnd: z.looseObject({
    reason: oneOf(['exit', 'clear', 'logout', 'prompt_input_exit', 'other']),
  }),
  PreCompress: z.looseObject({ trigger: oneOf(['manual', 'auto']) }),
  Notification: z.looseObject({
    notification_type: text,
    message: text,
    details: object.default({}),
  }),
} satisfies Readonly<Record<HookEventName, z.ZodObject>>;

/** An event's fields as they may come from outside: defaults left out, model calls in no checked format yet. */
export type OutsideEventFields = {
  [Event in HookEventName]: z.input<(typeof schemas)[Event]>;
};

/** Whether a value has all that an event's fields need; whatever the value is, it does not throw (DELTA-HPAY-005). */
export function isEventFields<Event extends HookEventName>(
  event: Event,
  value: unknown,
): value is OutsideEventFields[Event] {
  try {
    return schemas[event].safeParse(value).success;
  } catch {
    return false;
  }
}

/** An event's fields from outside, checked; or what is wrong with them, one sentence a field. */
export function checkEventFields<Event extends HookEventName>(
  event: Event,
  value: unknown,
): { fields: HookEventFields[Event] } | { faults: string[] } {
  const parsed = schemas[event].safeParse(value);
  if (parsed.success) return { fields: parsed.data as unknown as HookEventFields[Event] };
  return {
    faults: parsed.error.issues.map(({ path, message }) =>
      path.length === 0 ? 'they must be an object' : `"${path.join('.')}" ${message}`,
    ),
  };
}
