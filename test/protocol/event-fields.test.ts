import { describe, expect, test } from 'vitest';
import { checkEventFields } from '../../src/protocol/event-fields.ts';
import { hookEventNames, isHookEventName, type HookEventName } from '../../src/protocol/events.ts';
import { someFields } from '../support/session.ts';

const faults = (event: HookEventName, value: unknown): string[] => {
  const checked = checkEventFields(event, value);
  return 'faults' in checked ? checked.faults : [];
};

test('there are eleven events, and no other name is one (003, DELTA-HFAIL-005)', () => {
  expect(hookEventNames).toHaveLength(11);
  expect(hookEventNames.every(isHookEventName)).toBe(true);
  for (const name of ['', 'beforeTool', 'PreToolUse', 'toString', '__proto__', 'constructor'])
    expect(isHookEventName(name)).toBe(false);
});

describe.each(hookEventNames)('%s', (event) => {
  const fields: Readonly<Record<string, unknown>> = { ...someFields[event] };
  const optional = ['stop_hook_active', 'details'];

  test('takes its own fields, and more beside them (DELTA-HPAY-001)', () => {
    expect(checkEventFields(event, { ...fields, mcp_context: { server_name: 's' } })).toEqual({
      fields: { ...fields, mcp_context: { server_name: 's' } },
    });
  });

  test.each(Object.keys(fields).filter((name) => !optional.includes(name)))(
    'needs %s, of the right type',
    (name) => {
      for (const value of [undefined, null, 5, [1], true])
        expect(faults(event, { ...fields, [name]: value })).toEqual([
          expect.stringMatching(new RegExp(`^"${name}" must be `)),
        ]);
    },
  );

  test('must be told in an object', () => {
    for (const value of [undefined, null, 5, 'text', [fields]])
      expect(faults(event, value)).toEqual(['they must be an object']);
  });
});

test('what may be left out has a default', () => {
  expect(checkEventFields('AfterAgent', { prompt: 'p', prompt_response: 'r' })).toEqual({
    fields: { prompt: 'p', prompt_response: 'r', stop_hook_active: false },
  });
  expect(checkEventFields('Notification', { notification_type: 'T', message: 'm' })).toEqual({
    fields: { notification_type: 'T', message: 'm', details: {} },
  });
});

test('sources, reasons and triggers are the documented ones (003, DELTA-HPAY-006)', () => {
  expect(faults('SessionStart', { source: 'boot' })[0]).toBe(
    '"source" must be one of startup, resume, clear, compress',
  );
  expect(faults('SessionEnd', { reason: 'crash' })).toHaveLength(1);
  expect(faults('PreCompress', { trigger: 'Auto' })).toHaveLength(1);
});
