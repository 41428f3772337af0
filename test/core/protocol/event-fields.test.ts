import { describe, expect, expectTypeOf, test } from 'vitest';
import { checkEventFields, isEventFields } from '../../../src/core/protocol/fields.ts';
import {
  hookEventNames,
  isHookEventName,
  type HookEventName,
} from '../../../src/core/protocol/events.ts';
import { someFields } from '../../support/session.ts';

const faults = (event: HookEventName, value: unknown): string[] => {
  const checked = checkEventFields(event, value);
  return 'faults' in checked ? checked.faults : [];
};

test('there are eleven events, and other names are not events (003, DELTA-HFAIL-005)', () => {
  expect(hookEventNames).toHaveLength(11);
  expect(hookEventNames.every(isHookEventName)).toBe(true);
  for (const name of ['', 'beforeTool', 'PreToolUse', 'toString', '__proto__', 'constructor'])
    expect(isHookEventName(name)).toBe(false);
});

describe.each(hookEventNames)('%s', (event) => {
  const fields: Readonly<Record<string, unknown>> = { ...someFields[event] };
  const optional = ['stop_hook_active', 'details'];

  test('an event accepts its own fields and additional ones (DELTA-HPAY-001)', () => {
    expect(checkEventFields(event, { ...fields, mcp_context: { server_name: 's' } })).toEqual({
      fields: { ...fields, mcp_context: { server_name: 's' } },
    });
  });

  test.each(Object.keys(fields).filter((name) => !optional.includes(name)))(
    'an event needs the field %s with the right type',
    (name) => {
      for (const value of [undefined, null, 5, [1], true])
        expect(faults(event, { ...fields, [name]: value })).toEqual([
          expect.stringMatching(new RegExp(`^"${name}" must be `)),
        ]);
    },
  );

  test('the fields of an event must be an object', () => {
    for (const value of [undefined, null, 5, 'text', [fields]])
      expect(faults(event, value)).toEqual(['they must be an object']);
  });
});

test('optional fields have defaults', () => {
  expect(checkEventFields('AfterAgent', { prompt: 'p', prompt_response: 'r' })).toEqual({
    fields: { prompt: 'p', prompt_response: 'r', stop_hook_active: false },
  });
  expect(checkEventFields('Notification', { notification_type: 'T', message: 'm' })).toEqual({
    fields: { notification_type: 'T', message: 'm', details: {} },
  });
});

test('only documented sources, reasons and triggers are accepted (003, DELTA-HPAY-006)', () => {
  expect(faults('SessionStart', { source: 'boot' })[0]).toBe(
    '"source" must be one of startup, resume, clear, compress',
  );
  expect(faults('SessionEnd', { reason: 'crash' })).toHaveLength(1);
  expect(faults('PreCompress', { trigger: 'Auto' })).toHaveLength(1);
});

describe('the predicates narrow by type (DELTA-HPAY-005)', () => {
  test.each(hookEventNames)('isEventFields accepts only complete fields of %s', (event) => {
    const fits: unknown = { ...someFields[event], more: 1 };
    expect(isEventFields(event, fits)).toBe(true);
    for (const value of [undefined, null, 5, 'text', [], {}, { prompt: 5 }])
      expect(isEventFields(event, value)).toBe(false);
  });

  test('isEventFields narrows only to the checked types', () => {
    const given: unknown = { tool_name: 'x', tool_input: { a: 1 } };
    if (!isEventFields('BeforeTool', given)) throw new Error('it fits');
    expectTypeOf(given.tool_name).toEqualTypeOf<string>();
    expectTypeOf(given.tool_input).toEqualTypeOf<Record<string, unknown>>();
    const asked: unknown = { notification_type: 'T', message: 'm' };
    if (!isEventFields('Notification', asked)) throw new Error('it fits');
    expectTypeOf(asked.details).toEqualTypeOf<Record<string, unknown> | undefined>();
  });

  test('isEventFields never throws', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const throwing = {
      get tool_name(): string {
        throw new Error('hands off');
      },
      tool_input: {},
    };
    expect([proxy, throwing].map((value) => isEventFields('BeforeTool', value))).toEqual([
      false,
      false,
    ]);
  });
});
