import { anything, constantFrom, jsonValue, oneof, record, type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { holds } from '../../properties/check.ts';
import { checkEventFields } from '../../../src/core/protocol/fields.ts';
import { hookEventNames, type LifecycleEvent } from '../../../src/core/protocol/events.ts';
import { someFields } from '../../support/session.ts';

const object = z.record(z.string(), z.unknown(), 'must be an object');
const text = z.string('must be a string');
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

/** The events' fields again, as zod schemas. */
const schemas: Readonly<Record<LifecycleEvent, z.ZodObject>> = {
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
};

function bySchema(event: LifecycleEvent, value: unknown) {
  const parsed = schemas[event].safeParse(value);
  if (parsed.success) return { fields: parsed.data };
  return {
    faults: parsed.error.issues.map(({ path, message }) =>
      path.length === 0 ? 'they must be an object' : `"${path.join('.')}" ${message}`,
    ),
  };
}

const values: Arbitrary<unknown> = oneof(
  jsonValue(),
  constantFrom<unknown>(undefined, new Map(), new Date(0), () => 1, Object.create(null)),
);

test.each(hookEventNames)(
  '%s is checked exactly as by a schema, including the order of its keys',
  async (event) => {
    const own = Object.entries(someFields[event]);
    const given = record(
      {
        ...Object.fromEntries(
          own.map(([name, value]) => [name, oneof(constantFrom<unknown>(value), values)]),
        ),
        more: values,
        ['__proto__']: values,
        constructor: values,
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    await holds(
      oneof(given, values, anything()),
      (value) => {
        const checked = checkEventFields(event, value);
        const expected = bySchema(event, value);
        expect(checked).toStrictEqual(expected);
        if ('fields' in checked && 'fields' in expected)
          expect(Object.keys(checked.fields)).toEqual(Object.keys(expected.fields));
      },
      500,
    );
  },
);

test('the JSON key __proto__ is not a field, in the object or in one of its fields', () => {
  const value: unknown = JSON.parse(
    '{"__proto__":{"a":1},"tool_name":"t","tool_input":{"b":1,"__proto__":{}}}',
  );
  expect(JSON.stringify(checkEventFields('BeforeTool', value))).toBe(
    JSON.stringify(bySchema('BeforeTool', value)),
  );
});
