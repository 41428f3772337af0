import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { settingsJsonSchema } from '../../src/settings/schema.ts';

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
    ['nothing', {}],
    ['a $schema', { $schema: './node_modules/hookmachine/settings.schema.json' }],
    ['what is not ours', { ui: { theme: 'dark' }, tools: { sandbox: 'docker' } }],
    ['the documented switch', { tools: { enableHooks: true } }],
    ['the other switches', { enableHooks: true, hooksConfig: { enabled: false } }],
    ['reserved keys', { hooks: { enabled: true, disabled: ['a'], notifications: true } }],
    [
      'all fields',
      withHook({ name: 'n', description: 'd', timeout: 100.5, onFailure: 'block', env: {} }),
    ],
    ...['end-group', 'end', 'leave'].map((leftBehind): [string, object] => [
      `what it leaves: ${leftBehind}`,
      withHook({ leftBehind }),
    ]),
    ['an event that only a host has', { hooks: { 'host.FileChanged': [{ hooks: [hook] }] } }],
    ['a start ahead of the event', withHook({ prestart: true })],
    [
      'a group with all fields',
      { hooks: { AfterTool: [{ matcher: '*', sequential: true, hooks: [] }] } },
    ],
    ['a plugin', { hooks: { SessionStart: [{ hooks: [{ type: 'plugin', package: 'x' }] }] } }],
    ['another word for a failure that allows', withHook({ onFailure: 'continue' })],
    ['what failures mean', { hooksConfig: { defaultOnFailure: 'block' } }],
    ['a comment that is a key', withHook({ '//': 'why', _comment: 'this' })],
    ['a list of disabled hooks', { hooksConfig: { disabled: ['a', 'echo b'] } }],
  ])('%s', (_, settings) => {
    expect(faultsOf(settings)).toEqual([]);
  });
});

describe('bad settings are marked', () => {
  test.each([
    ['an array', []],
    ['a switch that is a text', { tools: { enableHooks: 'yes' } }],
    ['an event that there is not', { hooks: { PreToolUse: [] } }],
    ['an event of other case', { hooks: { beforeTool: [] } }],
    ['groups that are no list', { hooks: { BeforeTool: { hooks: [hook] } } }],
    ['a hook where a group belongs', { hooks: { BeforeTool: [hook] } }],
    ['a matcher that is a list', { hooks: { BeforeTool: [{ matcher: ['a'], hooks: [] }] } }],
    ['no type', { hooks: { BeforeTool: [{ hooks: [{ command: 'x' }] }] } }],
    ['another type', withHook({ type: 'http' })],
    ['no command', { hooks: { BeforeTool: [{ hooks: [{ type: 'command' }] }] } }],
    ['a blank command', withHook({ command: ' ' })],
    ['a timeout of 0', withHook({ timeout: 0 })],
    ['a timeout in seconds', withHook({ timeout: 30 })],
    ['an unknown key of a hook', withHook({ timout: 5000 })],
    ['an unknown key of a group', { hooks: { BeforeTool: [{ matchers: 'x', hooks: [hook] }] } }],
    ['an unknown key of hooksConfig', { hooksConfig: { disable: ['x'] } }],
    ['a misspelt key at the top', { hook: {} }],
    ['a misspelt key of tools', { tools: { enableHook: true } }],
    ['an event outside of hooks', { BeforeTool: [] }],
    ['another meaning of failures', { hooksConfig: { defaultOnFailure: 'deny' } }],
    ['a timeout that is a text', withHook({ timeout: '5' })],
    ['a policy that there is not', withHook({ onFailure: 'deny' })],
    ['a fate of processes that there is not', withHook({ leftBehind: 'kill' })],
    ['a start ahead that is a text', withHook({ prestart: 'yes' })],
    ['a disabled hook that is no text', { hooksConfig: { disabled: [5] } }],
  ])('%s', (_, settings) => {
    expect(faultsOf(settings)).not.toEqual([]);
  });
});
