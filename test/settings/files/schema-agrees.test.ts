import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hookmachine } from '../../../src/hosts/hookmachine/index.ts';
import { eventNamed } from '../../../src/core/points/hook-points.ts';
import { hookEventNames } from '../../../src/core/protocol/events.ts';
import { redactOf } from '../../../src/settings/redaction/redact-settings.ts';
import { defineHooks } from '../../../src/settings/files/define-hooks.ts';
import { ownKinds } from '../../../src/settings/format/hook-fields.ts';
import { forbiddable } from '../../../src/settings/format/managed-fields.ts';
import { toolsKeys, topKeys } from '../../../src/settings/format/settings-fields.ts';
import { slipOf, slipPattern } from '../../../src/settings/format/unknown-names.ts';
import { collectProblems } from '../../../src/core/definitions/problem.ts';
import { settingsJsonSchema } from '../../../src/settings/format/json-schema.ts';
import { managedBy, managedProblems } from '../../../src/settings/files/managed.ts';
import { switchProblems } from '../../../src/settings/files/switches.ts';
import { reportMisspeltKeys } from '../../../src/settings/format/unknown-names.ts';
import { holds } from '../../properties/check.ts';

const validate = new Ajv({ strict: true, strictTypes: false }).compile(settingsJsonSchema());

type Values = Readonly<Record<string, unknown>>;

/** What is reported when settings are read, including the problems for recordings. */
const reported = (values: Values) => [
  ...collectProblems({}, (complain) => reportMisspeltKeys(values, complain)),
  ...switchProblems({ values }),
  ...redactOf({ values }, ['hooksConfig', 'managed']).problems,
  ...managedProblems({ values }, true),
  ...managedBy([{ file: '', values }]).unmet,
  ...defineHooks(
    { source: 'user', hooks: values['hooks'] },
    {
      kinds: [...ownKinds, 'plugin'],
      eventNames: Object.keys(hookmachine.events),
      eventOf: (name) => (name.startsWith('host.') ? undefined : eventNamed(name)),
    },
  ).problems,
];

/** Mostly valid values, and now and then something else. */
const mostly = (...values: readonly unknown[]) =>
  fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>('', ' ', 'x', 0, -1, 5, 99, 1e12, true, [], {}) }, // prettier-ignore
  );

const anyKey = fc.oneof(
  fc.constantFrom('matchers', 'timout', 'Command', 'onfailure', 'hook', 'disable', '//', '$x', '_comment', 'comment', 'env', 'args', 'once', 'description', 'name', 'toString', '__proto__', 'constructor', 'notifications', 'ui', 'BeforeTool', 'redact'), // prettier-ignore
  fc.string({ maxLength: 12 }),
);

/** An object that now and then has an extra key. */
const withMore = (object: fc.Arbitrary<Values>, more: fc.Arbitrary<unknown> = fc.constant('x')) =>
  fc.oneof(
    { weight: 8, arbitrary: object },
    {
      weight: 1,
      arbitrary: fc.tuple(object, anyKey, more).map(
        ([value, key, extra]) =>
          Object.hasOwn(value, key) ? value : Object.defineProperty({ ...value }, key, { value: extra, enumerable: true }), // prettier-ignore
      ),
    },
  );

const record = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(fields, { requiredKeys, noNullPrototype: true });

const hook = withMore(
  record(
    {
      type: mostly('command', 'plugin'),
      command: mostly('true', ' ./check.sh '),
      timeout: mostly(100, 5_000, 100.5),
      name: mostly('check'),
      description: mostly('Checks.'),
      onFailure: mostly('allow', 'block', 'continue'),
    },
    ['type', 'command'],
  ),
);
const list = (entries: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 30, arbitrary: fc.array(entries, { maxLength: 2 }) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>('x', 5, {}, [5], ['x']) },
  );
const group = withMore(
  record(
    {
      matcher: mostly('write_file', '*', ''),
      sequential: mostly(true, false),
      hooks: list(hook),
    },
    ['hooks'],
  ),
);
const settings = withMore(
  record({
    enableHooks: mostly(true, false),
    tools: withMore(record({ enableHooks: mostly(true), sandbox: fc.constant('docker') })),
    hooksConfig: withMore(
      record({
        enabled: mostly(true),
        disabled: list(fc.constant('a')),
        redact: fc.constant(['a']),
      }),
    ),
    managed: withMore(
      record({
        onlyManagedHooks: mostly(true, false),
        defaultOnFailure: mostly('allow', 'block'),
        forbid: list(mostly(...forbiddable)),
        redact: fc.constant(['a']),
        requireVersion: mostly('0.0.1'),
        audit: fc.oneof(
          fc.constantFrom<unknown>(true, false, 'x', 5),
          withMore(
            record({
              file: mostly('/log', 'log'),
              maxBytes: mostly(4_096, 1e6),
              keep: mostly(0, 3),
              syslog: mostly(true, '/dev/log'),
            }),
          ),
        ),
      }),
    ),
    hooks: withMore(
      record({
        ...Object.fromEntries(hookEventNames.slice(0, 3).map((event) => [event, list(group)])),
        enabled: mostly(true),
        disabled: list(fc.constant('a')),
      }),
      fc.constant([]),
    ),
  }),
  fc.constantFrom<unknown>(true, {}, []),
);

test('the schema rejects settings exactly when reading them reports a problem', async () => {
  const verdicts = { refused: 0, taken: 0 };
  const cases = 2_000;
  await holds(
    settings,
    (values) => {
      const problems = reported(values);
      const isTaken = validate(values);
      verdicts[isTaken ? 'taken' : 'refused']++;
      expect({ isTaken, problems }).toEqual({ isTaken: problems.length === 0, problems });
    },
    cases,
  );
  expect(Math.min(verdicts.refused, verdicts.taken)).toBeGreaterThan(cases / 10);
});

test.each([...topKeys, ...toolsKeys])('the schema recognizes typos of "%s" too', (key) =>
  holds(
    fc.oneof(
      fc.constant(key),
      fc.string({ maxLength: 14 }),
      fc
        .tuple(
          fc.nat(key.length),
          fc.nat(2),
          fc.constantFrom('', 'x', 'O', 's', '_', '-', '9', ' ', '!', 'é'),
          fc.boolean(),
        ) // prettier-ignore
        .map(([at, gone, put, isUpper]) => {
          const slip = key.slice(0, at) + put + key.slice(at + gone);
          return isUpper ? slip.toUpperCase() : slip;
        }),
      fc
        .nat(key.length - 2)
        .map((at) => key.slice(0, at) + key[at + 1]! + key[at]! + key.slice(at + 2)),
    ),
    (slip) => {
      // Validators use the flag `u`.
      const isRefused = new RegExp(slipPattern(key), 'u').test(slip);
      expect(isRefused).toBe(slipOf(slip, [key]) === key);
    },
  ),
);

test.each([
  ['hook', 'hooks'],
  ['hoks', 'hooks'],
  ['Hooks', 'hooks'],
  ['hokos', 'hooks'],
  ['hookConfig', 'hooksConfig'],
  ['hooks_config', 'hooksConfig'],
  ['hooksConfiguration', 'hooksConfig'],
  ['enableHook', 'enableHooks'],
  ['enable-hooks', 'enableHooks'],
  ['enabledHooks', 'enableHooks'],
  ['tool', 'tools'],
  ['Tools', 'tools'],
])('the top-level key "%s" is a typo of "%s"', (key, meant) => {
  expect(slipOf(key, topKeys)).toBe(meant);
  expect(reported({ [key]: {} })).toMatchObject([{ place: key, fix: `write "${meant}"` }]);
  expect(validate({ [key]: {} })).toBe(false);
});

// Keys of LLxprt, Gemini CLI and Qwen Code, as their documents name them.
test.each([
  'general',
  'output',
  'ui',
  'ide',
  'privacy',
  'telemetry',
  'model',
  'modelConfigs',
  'agents',
  'context',
  'mcp',
  'mcpServers',
  'useWriteTodos',
  'useRipgrep',
  'security',
  'advanced',
  'experimental',
  'extensions',
  'skills',
  'admin',
  'theme',
  'vimMode',
  'coreTools',
  'excludeTools',
  'toolDiscoveryCommand',
  'toolCallCommand',
  'allowedTools',
  'toolOutputMasking',
  'summarizeToolOutput',
  'disableAllHooks',
  'hookSystem',
  'policyPaths',
  'tasks',
  'todos',
  'billing',
  'env',
  'permissions',
  'proxy',
  'sandbox',
  'checkpointing',
  'name',
  'version',
  'contextFileName',
  'settings',
  'description',
  'plan',
  'enablePrompts',
  'enableTools',
  'emojifilter',
  'subagents',
  'providers',
  'profile',
  'prompts',
  'mods',
  'rules', // prettier-ignore
])('the top-level key "%s" belongs to another program and is not a typo of ours', (key) => {
  expect(reported({ [key]: {} })).toEqual([]);
  expect(validate({ [key]: {} })).toBe(true);
});
