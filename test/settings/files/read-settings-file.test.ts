import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../src/core/definitions/problem.ts';
import { settingsReader } from '../../../src/settings/files/read-files.ts';
import { sandbox } from '../../support/sandbox.ts';

/** Writes one settings file and reads it. */
function read(content: unknown) {
  const { write } = sandbox();
  const file = write('settings.json', content);
  const found = settingsReader()(file);
  const problems = found?.problems.map((problem) => formatProblem(problem).replace(file, 'FILE'));
  return { values: found?.values, problems };
}

test('a missing settings file yields nothing and is not a problem', () => {
  const { folder } = sandbox();
  expect(settingsReader()(`${folder}/settings.json`)).toBeUndefined();
  expect(settingsReader()(`${folder}/a/b/settings.json`)).toBeUndefined();
});

test('a file in place of the folder yields no settings file either', () => {
  const { write } = sandbox();
  expect(settingsReader()(`${write('.llxprt', 'text')}/settings.json`)).toBeUndefined();
});

test('/dev/null counts as a missing settings file', () => {
  expect(settingsReader()('/dev/null')).toBeUndefined();
});

describe('a file that cannot be used counts as empty, and is reported in one line', () => {
  test.each([
    [
      '',
      'FILE:1:1: not valid JSON (it is empty), so the whole file is ignored; fix the JSON there',
    ],
    [
      '{"hooks": ',
      'FILE:1:11: not valid JSON (a value is expected), so the whole file is ignored; fix the JSON there',
    ],
    ['null', 'FILE: is not a JSON object, so the whole file is ignored; write { "hooks": { … } }'],
    ['[{}]', 'FILE: is not a JSON object, so the whole file is ignored; write { "hooks": { … } }'],
    ['"x"', 'FILE: is not a JSON object, so the whole file is ignored; write { "hooks": { … } }'],
    [
      '{"a":'.repeat(100_000),
      'FILE:1:1: not valid JSON (it is nested too deeply), so the whole file is ignored; fix the JSON there',
    ],
  ])('a file with %.20j counts as empty and is reported in one line', (content, problem) => {
    expect(read(content)).toEqual({ values: {}, problems: [problem] });
  });

  test('a folder with the name of a settings file counts as empty and is reported', () => {
    const { folder } = sandbox();
    const found = settingsReader()(folder);
    expect(found?.values).toEqual({});
    expect(found?.problems.map(formatProblem)).toEqual([
      `${folder}: is not a file, so the whole file is ignored; put a file there`,
    ]);
  });

  test('an endless device in place of a settings file is reported', () => {
    const { folder } = sandbox();
    symlinkSync('/dev/zero', `${folder}/zero`);
    expect(settingsReader()(`${folder}/zero`)?.problems).toMatchObject([
      { message: 'is not a file, so the whole file is ignored' },
    ]);
  });

  test('a link to itself in place of a settings file is reported', () => {
    const { folder } = sandbox();
    symlinkSync('loop', `${folder}/loop`);
    expect(settingsReader()(`${folder}/loop`)?.problems.map(formatProblem)).toEqual([
      `${folder}/loop: cannot be read (ELOOP), so the whole file is ignored; give this user read permission`,
    ]);
  });
});

test('a duplicate key is reported with its place, because it silently drops hooks', () => {
  const content = '{"hooks": {"BeforeTool": [1],\n "BeforeTool": [2]}}';
  expect(read(content)).toEqual({
    values: { hooks: { BeforeTool: [2] } },
    problems: [
      'FILE:2:16 hooks.BeforeTool: this key occurs more than once, and only the last one counts; merge their values under one key',
    ],
  });
});

test('a duplicate key that has nothing to do with hooks is not reported', () => {
  expect(read('{"ui": {"theme": 1, "theme": 2}}').problems).toEqual([]);
});

describe('a settings file that is read again', () => {
  test('a changed settings file counts as it is now, and a removed one is gone', () => {
    const { write } = sandbox();
    const reader = settingsReader();
    const file = write('settings.json', { a: 1 });
    expect(reader(file)?.values).toEqual({ a: 1 });
    write('settings.json', { a: 2 });
    expect(reader(file)?.values).toEqual({ a: 2 });
    rmSync(file);
    expect(reader(file)).toBeUndefined();
    write('settings.json', '{');
    expect(reader(file)?.values).toEqual({});
  });

  test.each(['{"a": 3', '', 'null'])(
    'a settings file that breaks to %j counts as it was, and that is reported',
    (broken) => {
      const { write } = sandbox();
      const reader = settingsReader();
      const file = write('settings.json', { a: 1 });
      reader(file);
      write('settings.json', broken);
      for (const again of [reader(file), reader(file)]) {
        expect(again?.values).toEqual({ a: 1 });
        expect(again?.problems).toHaveLength(1);
        expect(again?.problems[0]?.message).toMatch(/, so its last valid content still counts$/);
      }
    },
  );

  test('a settings file that became a folder counts as it was', () => {
    const { write } = sandbox();
    const reader = settingsReader();
    const file = write('settings.json', { a: 1 });
    reader(file);
    rmSync(file);
    mkdirSync(file);
    expect(reader(file)?.values).toEqual({ a: 1 });
    rmSync(dirname(file), { recursive: true });
    expect(reader(file)).toBeUndefined();
  });
});
