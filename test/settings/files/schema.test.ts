import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { settingsJsonSchema } from '../../../src/settings/format/json-schema.ts';

// `strict` also reports keywords that draft-07 does not know.
const ajv = new Ajv({ strict: true, strictTypes: false, allErrors: true });
const validate = ajv.compile(settingsJsonSchema());

const faultsOf = (settings: unknown): string[] => {
  validate(settings);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

const hook = { type: 'command', command: 'true' };
const withHook = (more: object) => ({ hooks: { BeforeTool: [{ hooks: [{ ...hook, ...more }] }] } });

test('the schema is a valid draft-07 schema', () => {
  expect(settingsJsonSchema()).toHaveProperty('$schema', 'http://json-schema.org/draft-07/schema#');
  expect(ajv.validateSchema(settingsJsonSchema())).toBe(true);
});

describe('good settings are accepted', () => {
  test.each([
    ['no keys', {}],
    ['a $schema', { $schema: './node_modules/hookmachine/settings.schema.json' }],
    ['keys of other programs', { ui: { theme: 'dark' }, tools: { sandbox: 'docker' } }],
    ['the documented switch', { tools: { enableHooks: true } }],
    ['the other switches', { enableHooks: true, hooksConfig: { enabled: false } }],
    ['reserved keys', { hooks: { enabled: true, disabled: ['a'], notifications: true } }],
    [
      'all fields',
      withHook({ name: 'n', description: 'd', timeout: 100.5, onFailure: 'block', env: {} }),
    ],
    ...['end-group', 'end', 'leave'].map((leftBehind): [string, object] => [
      `"leftBehind": "${leftBehind}"`,
      withHook({ leftBehind }),
    ]),
    ['an event that only one host has', { hooks: { 'host.FileChanged': [{ hooks: [hook] }] } }],
    ['a start ahead of the event', withHook({ prestart: true })],
    [
      'a group with all fields',
      { hooks: { AfterTool: [{ matcher: '*', sequential: true, hooks: [] }] } },
    ],
    ['a plugin', { hooks: { SessionStart: [{ hooks: [{ type: 'plugin', package: 'x' }] }] } }],
    ['another word for a failure that allows', withHook({ onFailure: 'continue' })],
    ['a default for failures', { hooksConfig: { defaultOnFailure: 'block' } }],
    ['a key that is a comment', withHook({ '//': 'why', _comment: 'this' })],
    ['a list of disabled hooks', { hooksConfig: { disabled: ['a', 'echo b'] } }],
  ])('settings with %s are accepted', (_, settings) => {
    expect(faultsOf(settings)).toEqual([]);
  });
});

describe('bad settings are rejected', () => {
  test.each([
    ['an array at the top', []],
    ['a switch that is a string', { tools: { enableHooks: 'yes' } }],
    ['an unknown event', { hooks: { PreToolUse: [] } }],
    ['an event in the wrong case', { hooks: { beforeTool: [] } }],
    ['groups that are not a list', { hooks: { BeforeTool: { hooks: [hook] } } }],
    ['a hook where a group belongs', { hooks: { BeforeTool: [hook] } }],
    ['a matcher that is a list', { hooks: { BeforeTool: [{ matcher: ['a'], hooks: [] }] } }],
    ['a hook without a type', { hooks: { BeforeTool: [{ hooks: [{ command: 'x' }] }] } }],
    ['another type', withHook({ type: 'http' })],
    ['a hook without a command', { hooks: { BeforeTool: [{ hooks: [{ type: 'command' }] }] } }],
    ['a blank command', withHook({ command: ' ' })],
    ['a timeout of 0', withHook({ timeout: 0 })],
    ['a timeout in seconds', withHook({ timeout: 30 })],
    ['an unknown key of a hook', withHook({ timout: 5000 })],
    ['an unknown key of a group', { hooks: { BeforeTool: [{ matchers: 'x', hooks: [hook] }] } }],
    ['an unknown key of hooksConfig', { hooksConfig: { disable: ['x'] } }],
    ['a misspelt key at the top', { hook: {} }],
    ['a misspelt key of tools', { tools: { enableHook: true } }],
    ['an event outside of hooks', { BeforeTool: [] }],
    ['an unknown default for failures', { hooksConfig: { defaultOnFailure: 'deny' } }],
    ['a timeout that is a string', withHook({ timeout: '5' })],
    ['an unknown "onFailure"', withHook({ onFailure: 'deny' })],
    ['an unknown "leftBehind"', withHook({ leftBehind: 'kill' })],
    ['a "prestart" that is a string', withHook({ prestart: 'yes' })],
    ['a disabled hook that is not a string', { hooksConfig: { disabled: [5] } }],
  ])('settings with %s are rejected', (_, settings) => {
    expect(faultsOf(settings)).not.toEqual([]);
  });
});
