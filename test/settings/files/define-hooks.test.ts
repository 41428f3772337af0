import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../../src/core/protocol/events.ts';
import { defineHooks } from '../../../src/settings/files/define-hooks.ts';
import type { HooksFromSource } from '../../../src/core/definitions/hooks-from-source.ts';
import { parseJson } from '../../../src/settings/files/parse-json.ts';
import { formatProblem } from '../../../src/core/definitions/problem.ts';

function define(hooks: unknown, from: Partial<HooksFromSource> = {}) {
  const { definitions, problems } = defineHooks({ source: 'project', hooks, ...from });
  return { definitions, problems: problems.map(formatProblem) };
}

const hook = { type: 'command', command: 'true' };

/** The result for one hook in the first group of BeforeTool. */
const defineOne = (entry: unknown) => define({ BeforeTool: [{ hooks: [entry] }] });

describe('a hook definition', () => {
  test('a hook definition holds what the settings say (HOOK-080, 082, 083; C-03)', () => {
    const { definitions, problems } = define(
      {
        AfterTool: [
          {
            matcher: ' write_file|replace ',
            sequential: true,
            hooks: [
              {
                type: 'command',
                command: '.llxprt/hooks/check.sh',
                name: ' check ',
                description: 'Checks.',
                timeout: 5000,
              },
            ],
          },
        ],
      },
      { source: 'user', file: '/home/me/.llxprt/settings.json', env: { extensionPath: '/x' } },
    );
    expect(problems).toEqual([]);
    expect(definitions).toEqual([
      {
        event: 'AfterTool',
        type: 'command',
        command: '.llxprt/hooks/check.sh',
        name: 'check',
        description: 'Checks.',
        timeout: 5000,
        matcher: 'write_file|replace',
        sequential: true,
        source: 'user',
        file: '/home/me/.llxprt/settings.json',
        place: 'hooks.AfterTool[0].hooks[0]',
        env: { extensionPath: '/x' },
      },
    ]);
  });

  test('a hook definition has defaults for everything that is optional (HOOK-082, 120)', () => {
    expect(defineOne(hook).definitions).toEqual([
      {
        event: 'BeforeTool',
        type: 'command',
        command: 'true',
        name: 'true',
        timeout: 60_000,
        sequential: false,
        source: 'project',
        place: 'hooks.BeforeTool[0].hooks[0]',
        env: {},
      },
    ]);
  });

  test.each(hookEventNames)('a hook may be defined for %s (HOOK-081, 203)', (event) => {
    const { definitions, problems } = define({ [event]: [{ hooks: [hook] }] });
    expect(definitions).toMatchObject([{ event, command: 'true' }]);
    expect(problems).toEqual([]);
  });

  test('a hook is named after its name, or else its command (C-03)', () => {
    const names = [{ name: 'n' }, { name: ' ' }, { name: '' }, { name: null }, {}].map(
      (more) => defineOne({ ...hook, ...more }).definitions[0]?.name,
    );
    expect(names).toEqual(['n', 'true', 'true', 'true', 'true']);
  });

  test('a hook keeps its command letter by letter, and may have fields of other hosts', () => {
    const entry = { type: 'command', command: ' echo "$x" \n', env: { A: '1' }, once: true };
    expect(defineOne(entry)).toMatchObject({ definitions: [{ command: ' echo "$x" \n' }] });
    expect(defineOne(entry).problems).toEqual([]);
  });

  test('a plugin is accepted as a hook although it cannot run (C-02, HOOK-083)', () => {
    const { definitions, problems } = defineOne({ type: 'plugin', command: 'echo never' });
    expect(definitions).toMatchObject([{ type: 'plugin', command: '', name: 'unknown-command' }]);
    expect(problems).toEqual([]);
  });
});

describe('the timeout', () => {
  test.each([
    [100, 100],
    [100.5, 100.5],
    [120_000, 120_000],
    [2_147_483_647, 2_147_483_647],
    // A timer cannot take more: it would fire at once.
    [1e12, 2_147_483_647],
    [null, 60_000],
  ])('a timeout of %j counts as %d ms (X3)', (timeout, ms) => {
    const { definitions, problems } = defineOne({ ...hook, timeout });
    expect(definitions[0]?.timeout).toBe(ms);
    expect(problems).toEqual([]);
  });

  test.each([
    [5, '5000'],
    [30, '30000'],
    [0.5, '500'],
    [99.9, '99900'],
  ])('a timeout of %d counts but is reported: seconds may be meant', (timeout, meant) => {
    const { definitions, problems } = defineOne({ ...hook, timeout });
    expect(definitions[0]?.timeout).toBe(timeout);
    expect(problems).toEqual([
      `hooks.BeforeTool[0].hooks[0].timeout: is ${timeout} ms, so the hook hardly has time to start; if seconds were meant, write ${meant}`,
    ]);
  });

  test.each([
    [0, '0'],
    [-1, '-1'],
    ['5', '"5"'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [true, 'true'],
    [[5], 'an array'],
    [{ ms: 5 }, 'an object'],
  ])('a timeout of %j is ignored and reported, and the default applies (C-32)', (timeout, said) => {
    const { definitions, problems } = defineOne({ ...hook, timeout });
    expect(definitions[0]?.timeout).toBe(60_000);
    expect(problems).toEqual([
      `hooks.BeforeTool[0].hooks[0].timeout: is ${said}, so it was ignored; make it a positive number of milliseconds`,
    ]);
  });
});

describe('leftBehind', () => {
  test.each(['end-group', 'end', 'leave'])('a "leftBehind" of %j is kept', (leftBehind) => {
    expect(defineOne({ ...hook, leftBehind })).toMatchObject({
      definitions: [{ leftBehind }],
      problems: [],
    });
  });

  test.each(['kill', true, ['end']])('the default replaces a "leftBehind" of %j', (leftBehind) => {
    const { definitions, problems } = defineOne({ ...hook, leftBehind });
    expect(definitions[0]).not.toHaveProperty('leftBehind');
    expect(problems).toEqual([
      expect.stringMatching(
        /^hooks\.BeforeTool\[0\]\.hooks\[0\]\.leftBehind: is .*, so it counts as "end-group"; write "end-group", "end" or "leave"$/,
      ),
    ]);
  });
});

describe('prestart', () => {
  test('a "prestart" of true is kept, and false means the same as its absence', () => {
    expect(defineOne({ ...hook, prestart: true }).definitions).toMatchObject([{ prestart: true }]);
    for (const prestart of [false, null, undefined]) {
      const { definitions, problems } = defineOne({ ...hook, prestart });
      expect(definitions[0]).not.toHaveProperty('prestart');
      expect(problems).toEqual([]);
    }
  });

  test.each(['true', 1])('a "prestart" of %j is ignored and reported', (prestart) => {
    const { definitions, problems } = defineOne({ ...hook, prestart });
    expect(definitions[0]).not.toHaveProperty('prestart');
    expect(problems).toEqual([
      expect.stringMatching(/prestart: is .*, so it was ignored; make it true or false$/),
    ]);
  });
});

const onFailure = (value: unknown) => defineOne({ ...hook, onFailure: value });

describe('onFailure', () => {
  test.each([null, undefined])('an "onFailure" of %j leaves open what a failure means', (value) => {
    expect(onFailure(value).definitions[0]).not.toHaveProperty('onFailure');
    expect(onFailure(value).problems).toEqual([]);
  });

  test.each(['allow', 'continue'])('an "onFailure" of %j lets the operation continue', (value) => {
    expect(onFailure(value)).toMatchObject({
      definitions: [{ failsOpen: true }],
      problems: [],
    });
  });

  test('an "onFailure" of "block" makes a failure deny', () => {
    expect(onFailure('block')).toMatchObject({
      definitions: [{ onFailure: 'block' }],
      problems: [],
    });
    expect(defineOne({ type: 'plugin', onFailure: 'block' }).definitions).toMatchObject([
      { onFailure: 'block' },
    ]);
  });

  test.each(['deny', 'Block', true, ['block']])('the "onFailure" %j counts as "block"', (value) => {
    const { definitions, problems } = onFailure(value);
    expect(definitions).toMatchObject([{ onFailure: 'block' }]);
    expect(problems).toEqual([
      expect.stringMatching(
        /^hooks\.BeforeTool\[0\]\.hooks\[0\]\.onFailure: is .*, so it counts as "block"; write "allow" or "block"$/,
      ),
    ]);
  });
});

describe('a bad hook is discarded with one line that names place and fix (HOOK-191)', () => {
  test.each([
    ['without a type, as in the best practices', { command: 'x' }, '.type: is missing', 'type'],
    ['with a null type', { type: null, command: 'x' }, '.type: is null', 'type'],
    ['with another type', { type: 'http', url: 'x' }, '.type: is "http"', 'type'],
    ['with a type in wrong case', { type: 'Command', command: 'x' }, '.type: is "Command"', 'type'],
    ['with a type that is not a string', { type: ['command'] }, '.type: is an array', 'type'],
    ['without a command', { type: 'command' }, '.command: is missing', 'command'],
    ['with an empty command', { type: 'command', command: '' }, '.command: is ""', 'command'],
    ['with a blank command', { type: 'command', command: ' \n' }, '.command: is " \\n"', 'command'],
    ['with a null command', { type: 'command', command: null }, '.command: is null', 'command'],
    [
      'with a list as its command',
      { type: 'command', command: ['ls'] },
      '.command: is an array',
      'command',
    ],
    ['with several faults', { type: 'command', timeout: 0 }, '.command: is missing', 'command'],
    ['that is a string', 'echo', ': is "echo"', 'object'],
    ['that is null', null, ': is null', 'object'],
    ['that is a list', [hook], ': is an array', 'object'],
  ])('a hook %s is discarded with one line', (_, entry, fault, fix) => {
    const fixes: Record<string, string> = {
      type: 'write "type": "command"',
      command: 'write the shell command to run: "command": "…"',
      object: 'make it an object: { "type": "command", "command": "…" }',
    };
    const { definitions, problems } = define({ BeforeTool: [{ hooks: [hook, entry, hook] }] });
    expect(definitions).toHaveLength(2);
    expect(problems).toEqual([
      `hooks.BeforeTool[0].hooks[1]${fault}, so the hook was discarded; ${fixes[fix]}`,
    ]);
  });

  test('a very long bad value is shown only in part', () => {
    const [problem] = defineOne({ type: 'x'.repeat(1_000_000) }).problems;
    expect(problem?.length).toBeLessThan(250);
  });
});

test('a bad optional field of a hook drops only that field', () => {
  const { definitions, problems } = defineOne({
    ...hook,
    name: 5,
    description: [],
    timeout: 'soon',
  });
  expect(definitions).toMatchObject([{ name: 'true', timeout: 60_000 }]);
  expect(definitions[0]).not.toHaveProperty('description');
  expect(problems).toHaveLength(3);
});

describe('a hook group', () => {
  test.each([
    [null, ': is null', 'make it a hook group: { "matcher": "…", "hooks": [ … ] }'],
    ['x', ': is "x"', 'make it a hook group: { "matcher": "…", "hooks": [ … ] }'],
    [[], ': is an array', 'make it a hook group: { "matcher": "…", "hooks": [ … ] }'],
    // A hook in the place of a group.
    [
      hook,
      '.hooks: is missing',
      'make it an array of hooks: [ { "type": "command", "command": "…" } ]',
    ],
    [
      { hooks: hook },
      '.hooks: is an object',
      'make it an array of hooks: [ { "type": "command", "command": "…" } ]',
    ],
    [
      { matcher: ['a', 'b'], hooks: [hook] },
      '.matcher: is an array',
      'make it a string: a regular expression for tool names',
    ],
  ])('a hook group of %j is discarded, and the others still count', (group, fault, fix) => {
    const { definitions, problems } = define({
      BeforeTool: [{ hooks: [hook] }, group, { hooks: [hook] }],
    });
    expect(definitions.map(({ place }) => place)).toEqual([
      'hooks.BeforeTool[0].hooks[0]',
      'hooks.BeforeTool[2].hooks[0]',
    ]);
    expect(problems).toEqual([`hooks.BeforeTool[1]${fault}, so the group was discarded; ${fix}`]);
  });

  test('a hook group may be empty', () => {
    expect(define({ BeforeTool: [{ hooks: [] }], AfterTool: [] })).toEqual({
      definitions: [],
      problems: [],
    });
  });

  test.each(['true', 1, {}])('a "sequential" that is %j is ignored', (sequential) => {
    const { definitions, problems } = define({ BeforeTool: [{ sequential, hooks: [hook] }] });
    expect(definitions).toMatchObject([{ sequential: false }]);
    expect(problems).toHaveLength(1);
  });

  test('null in an optional field counts as absent', () => {
    const group = { matcher: null, sequential: null, hooks: [hook] };
    const { definitions, problems } = define({ BeforeTool: [group] });
    expect(definitions).toMatchObject([{ command: 'true', sequential: false }]);
    expect(definitions[0]).not.toHaveProperty('matcher');
    expect(problems).toEqual([]);
  });

  test.each(['**', '*.ts', '(?i)write', '[', 'a('])(
    'a matcher %j that is not a regular expression is reported, because it matches only one name (C-18)',
    (matcher) => {
      const { definitions, problems } = define({ AfterTool: [{ matcher, hooks: [hook] }] });
      expect(definitions).toMatchObject([{ matcher }]);
      expect(problems).toEqual([
        `hooks.AfterTool[0].matcher: is "${matcher}", which is not a regular expression, so it matches only a tool of exactly that name; write a regular expression, such as "write_file|replace"; "*" alone matches every tool`,
      ]);
    },
  );

  test.each(['', ' ', '*', ' * ', 'write_*', '.*', 'a|b'])('a matcher %j is valid', (matcher) => {
    expect(define({ BeforeTool: [{ matcher, hooks: [hook] }] }).problems).toEqual([]);
  });

  test('a matcher of another event may be anything (C-19, C-20)', () => {
    const group = { matcher: '**', hooks: [hook] };
    expect(define({ BeforeModel: [group], SessionStart: [group] }).problems).toEqual([]);
  });
});

describe('an unknown key is reported with the one that was meant, and the hook counts (HOOK-191)', () => {
  const ignored = 'there is no such key, so it is ignored';

  test.each([
    ['matchers', 'write "matcher"'],
    ['Matcher', 'write "matcher"'],
    ['mather', 'write "matcher"'],
    ['match', 'write "matcher"'],
    ['sequental', 'write "sequential"'],
    ['hook', 'write "hooks"'],
    ['timeout', 'write "timeout" in each hook of the group'],
    ['onFailure', 'write "onFailure" in each hook of the group'],
    ['pattern', 'the keys here are matcher, sequential, hooks'],
  ])('an unknown key %j of a group is reported with a fix', (key, fix) => {
    const { definitions, problems } = define({ BeforeTool: [{ [key]: 'x', hooks: [hook] }] });
    expect(definitions).toMatchObject([{ command: 'true' }]);
    expect(definitions[0]).not.toHaveProperty('matcher');
    expect(problems).toEqual([`hooks.BeforeTool[0].${key}: ${ignored}; ${fix}`]);
  });

  test.each([
    ['timout', 'write "timeout"'],
    ['time_out', 'write "timeout"'],
    ['timeoutMs', 'write "timeout"'],
    ['Timeout', 'write "timeout"'],
    ['Command', 'write "command"'],
    ['onfailure', 'write "onFailure"'],
    ['onFail', 'write "onFailure"'],
    ['desc', 'write "description"'],
    ['Name', 'write "name"'],
    ['matcher', 'write "matcher" in the group around the hook'],
    ['sequential', 'write "sequential" in the group around the hook'],
    ['disabled', 'to disable a hook, write its name in "hooksConfig": { "disabled": [ … ] }'],
    [
      'x',
      'the keys here are type, command, timeout, name, description, onFailure, leftBehind, prestart',
    ],
    [
      'y'.repeat(1_000),
      'the keys here are type, command, timeout, name, description, onFailure, leftBehind, prestart',
    ],
  ])('an unknown key %.20j of a hook is reported with a fix', (key, fix) => {
    const { definitions, problems } = defineOne({ ...hook, [key]: 5 });
    expect(definitions).toMatchObject([{ command: 'true', timeout: 60_000 }]);
    expect(problems).toEqual([`hooks.BeforeTool[0].hooks[0].${key}: ${ignored}; ${fix}`]);
  });

  test('keys that other hosts read and keys that serve as comments are not reported', () => {
    const comments = { '//': 'a', '// b': 1, $comment: 'c', _comment: 'd', comment: 'e', '#': 'f' };
    const others = { env: { A: '1' }, args: [], once: true, statusMessage: 'x', async: true };
    const { problems } = define({
      BeforeTool: [{ ...comments, description: 'x', hooks: [{ ...hook, ...comments, ...others }] }],
    });
    expect(problems).toEqual([]);
  });

  test.each([
    [{ type: 'command', Command: 'x' }, '.command: is missing', 'in place of "Command"'],
    [{ Type: 'command', command: 'x' }, '.type: is missing', 'in place of "Type"'],
    [{ type: 'command', comand: 'x' }, '.command: is missing', 'in place of "comand"'],
  ])('the misspelt key of %j, which is discarded, is named', (entry, fault, hint) => {
    const { problems } = defineOne(entry);
    expect(problems).toEqual([expect.stringContaining(`hooks.BeforeTool[0].hooks[0]${fault}`)]);
    expect(problems[0]).toContain(hint);
  });
});

test('the first hundred of very many problems are reported, and the rest are counted', () => {
  const from = { file: '/p/settings.json' };
  const { definitions, problems } = define(
    { BeforeTool: [{ hooks: [...Array.from({ length: 4_000 }, (_, at) => at), hook] }] },
    from,
  );
  expect(definitions).toHaveLength(1);
  expect(problems).toHaveLength(101);
  expect(problems[99]).toMatch(/hooks\.BeforeTool\[0\]\.hooks\[99\]: is 99/);
  expect(problems[100]).toBe(
    '/p/settings.json: there are 3900 more problems; fix those above first',
  );
});

describe('the hooks of a source', () => {
  test.each([undefined, null, {}])('the hooks of a source may be %j', (hooks) => {
    expect(define(hooks)).toEqual({ definitions: [], problems: [] });
  });

  test.each([
    [[], 'an array'],
    ['x', '"x"'],
    [true, 'true'],
  ])('hooks that are %j define no hook, and that is reported', (hooks, said) => {
    expect(define(hooks)).toEqual({
      definitions: [],
      problems: [
        `hooks: is ${said}, so no hook was read; make it an object: { "BeforeTool": [ … ] }`,
      ],
    });
  });

  test('reserved keys are neither events nor faults (C-04)', () => {
    const { definitions, problems } = define({
      enabled: true,
      disabled: ['x'],
      notifications: { sound: true },
      BeforeTool: [{ hooks: [hook] }],
    });
    expect(definitions).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test.each(['PreToolUse', 'constructor', 'toString', '', 'hasOwnProperty'])(
    'an unknown event %j is skipped and reported (C-04)',
    (event) => {
      const { definitions, problems } = define({ [event]: [{ hooks: [hook] }] });
      expect(definitions).toEqual([]);
      expect(problems).toEqual([
        `hooks.${event}: there is no such event, so it was skipped; use one of ${hookEventNames.join(', ')}`,
      ]);
    },
  );

  test.each([
    ['BEFORETOOL', 'BeforeTool'],
    ['aftertool', 'AfterTool'],
    ['beforetools', 'BeforeTool'],
    ['before_tool', 'BeforeTool'],
    ['BeforTool', 'BeforeTool'],
    ['BeforeTol', 'BeforeTool'],
    ['AfetrModel', 'AfterModel'],
    ['SesionStart', 'SessionStart'],
    ['PreCompres', 'PreCompress'],
    ['Notifications', 'Notification'],
    ['BeforeToolsSelection', 'BeforeToolSelection'],
  ])('a misspelt event %j is reported with the suggestion %j (C-04)', (event, meant) => {
    expect(define({ [event]: [] }).problems).toEqual([
      `hooks.${event}: there is no such event, so it was skipped; use ${meant}`,
    ]);
  });

  test('a misspelt switch among the events is reported as a switch', () => {
    expect(define({ disable: 'x', enable: true }).problems).toEqual([
      'hooks.disable: there is no such event, so it was skipped; use disabled',
      'hooks.enable: there is no such event, so it was skipped; use enabled',
    ]);
  });

  test('a __proto__ in the file is an unknown event and pollutes nothing', () => {
    const text =
      '{"__proto__": {"BeforeTool": []}, "BeforeTool": [{"__proto__": 1, "hooks": [{"__proto__": {"type": "command"}, "type": "command", "command": "true"}]}]}';
    const parsed = parseJson(text);
    const { definitions, problems } = define('value' in parsed ? parsed.value : undefined);
    expect(definitions).toHaveLength(1);
    expect(problems).toEqual([
      expect.stringMatching(/^hooks\.__proto__: there is no such event/),
      expect.stringMatching(/^hooks\.BeforeTool\[0\]\.__proto__: there is no such key/),
      expect.stringMatching(/^hooks\.BeforeTool\[0\]\.hooks\[0\]\.__proto__: there is no such key/),
    ]);
    expect(({} as { type?: unknown }).type).toBeUndefined();
  });

  test.each([
    [{ hooks: [hook] }, 'an object'],
    [null, 'null'],
    ['echo', '"echo"'],
  ])('an event whose groups are %j is discarded, and the others still count', (groups, said) => {
    const { definitions, problems } = define({
      BeforeTool: groups,
      AfterTool: [{ hooks: [hook] }],
    });
    expect(definitions).toMatchObject([{ event: 'AfterTool' }]);
    expect(problems).toEqual([
      `hooks.BeforeTool: is ${said}, so it was discarded; make it an array of hook groups: [ { "hooks": [ … ] } ]`,
    ]);
  });

  test('problems name the file, the line and the column', () => {
    const text =
      '{ "hooks": {\n  "BeforeTool": [ { "hooks": [\n    { "type": "command" } ] } ] } }';
    const parsed = parseJson(text);
    if ('fault' in parsed) throw new Error(parsed.fault);
    const { hooks } = parsed.value as { hooks: unknown };
    const { problems } = define(hooks, { file: '/p/settings.json', locate: parsed.locate });
    expect(problems).toEqual([
      '/p/settings.json:3:5 hooks.BeforeTool[0].hooks[0].command: is missing, so the hook was discarded; write the shell command to run: "command": "…"',
    ]);
  });

  test('values that only a program can pass do no harm', () => {
    const entries = [() => 1, Symbol('s'), 10n, Number.NaN, new Date(0), undefined];
    const { definitions, problems } = define({ BeforeTool: [{ hooks: entries }] });
    expect(definitions).toEqual([]);
    expect(problems).toHaveLength(entries.length);
  });
});
