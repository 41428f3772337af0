import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { loadSettings } from '../../src/settings/load-settings.ts';
import { formatProblem } from '../../src/settings/problem.ts';
import { sandbox } from '../support/sandbox.ts';

const on = { tools: { enableHooks: true } };
const off = { tools: { enableHooks: false } };
const hooks = { BeforeTool: [{ hooks: [{ type: 'command', command: 'true' }] }] };

const sourcesOf = (cwd: string) => loadSettings(cwd).sources.map(({ source }) => source);

describe('the levels (HOOK-084, C-09)', () => {
  test('no file at all: hooks are off, and nothing is wrong', () => {
    const { project } = sandbox();
    const { enabled, sources, disabled, problems } = loadSettings(project);
    expect({ enabled, sources, disabled, problems }).toEqual({
      enabled: undefined,
      sources: [],
      disabled: [],
      problems: [],
    });
  });

  test('project, user, system: in this order, each with its file', () => {
    const { project, files, write } = sandbox();
    for (const file of Object.values(files)) write(file, { ...on, hooks });
    const { enabled, sources } = loadSettings(project);
    expect(enabled).toBe(true);
    expect(sources.map(({ source, file }) => [source, file])).toEqual(Object.entries(files));
    expect(sources.every((source) => source.hooks !== undefined)).toBe(true);
  });

  test.each(['project', 'user', 'system'] as const)('%s alone can switch on', (level) => {
    const { project, files, write } = sandbox();
    write(files[level], on);
    expect(loadSettings(project).enabled).toBe(true);
  });

  test("the administrator's word on a switch stands, then the project's, then the user's", () => {
    const { project, files, write } = sandbox();
    write(files.user, off);
    write(files.project, on);
    expect(loadSettings(project).enabled).toBe(true);
    write(files.system, off);
    expect(loadSettings(project).enabled).toBe(false);
  });

  test('a file in a folder of another project does not count', () => {
    const { project, files, write } = sandbox();
    write(files.project, { ...on, hooks });
    mkdirSync(`${project}/sub`);
    expect(sourcesOf(`${project}/sub`)).toEqual([]);
  });

  test('the old name of the variable names the system file too; the new one goes first', () => {
    const { project, write } = sandbox();
    vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', '');
    vi.stubEnv('LLXPRT_CODE_SYSTEM_SETTINGS_PATH', write('old.json', on));
    expect(loadSettings(project).enabled).toBe(true);
    vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', write('new.json', off));
    expect(loadSettings(project).enabled).toBe(false);
  });
});

describe('one file that serves two levels counts once', () => {
  test('in the home folder it is the user’s', () => {
    const { home, files, write } = sandbox();
    write(files.user, { ...on, hooks });
    expect(sourcesOf(home)).toEqual(['user']);
    expect(loadSettings(home).enabled).toBe(true);
  });

  test('also by way of a link', () => {
    const { folder, home, files, write } = sandbox();
    write(files.user, { ...on, hooks });
    symlinkSync(home, `${folder}/link`);
    expect(sourcesOf(`${folder}/link`)).toEqual(['user']);
  });

  test('and the administrator’s stays the administrator’s', () => {
    const { project, files, write } = sandbox();
    write(files.system, { ...on, hooks });
    mkdirSync(dirname(files.project), { recursive: true });
    symlinkSync(files.system, files.project);
    expect(sourcesOf(project)).toEqual(['system']);
  });
});

describe('a user without a home', () => {
  test.each(['', 'relative', '.'])(
    '(HOME=%j) has no settings: least of all the project’s',
    (home) => {
      const { project, files, write } = sandbox();
      write(files.project, { ...on, hooks });
      write(`${project}/relative/.llxprt/settings.json`, { ...on, hooks });
      const before = process.cwd();
      vi.stubEnv('HOME', home);
      process.chdir(project);
      try {
        expect(sourcesOf(project)).toEqual(['project']);
      } finally {
        process.chdir(before);
      }
    },
  );

  test('or with one that does not exist has no settings', () => {
    const { project, folder } = sandbox();
    vi.stubEnv('HOME', `${folder}/nowhere`);
    expect(sourcesOf(project)).toEqual([]);
  });
});

test('a broken file is told with its place, and the other levels live', () => {
  const { project, files, write } = sandbox();
  write(files.project, '{\n  "hooks": [}\n');
  write(files.user, { ...on, hooks });
  const { enabled, sources, problems } = loadSettings(project);
  expect(enabled).toBe(true);
  expect(sources.filter((source) => source.hooks !== undefined)).toMatchObject([
    { source: 'user' },
  ]);
  expect(problems.map(formatProblem)).toEqual([
    `${files.project}:2:13: not valid JSON (a value is expected), so the whole file is ignored; mend the JSON there`,
  ]);
});

test('a switch and a list of the wrong type are told with their place', () => {
  const { project, files, write } = sandbox();
  write(
    files.project,
    '{\n  "tools": { "enableHooks": "yes" },\n  "hooksConfig": { "disabled": "x" }\n}',
  );
  expect(loadSettings(project).problems.map(formatProblem)).toEqual([
    `${files.project}:2:29 tools.enableHooks: is "yes", so it was ignored; make it true or false`,
    `${files.project}:3:32 hooksConfig.disabled: is "x", so it was ignored; make it an array of hook names or commands`,
  ]);
});

test('lists of disabled hooks keep their source (C-04)', () => {
  const { project, files, write } = sandbox();
  write(files.project, { hooks: { disabled: ['a'] } });
  write(files.system, { hooksConfig: { disabled: ['b', 'echo c'] } });
  expect(loadSettings(project).disabled).toEqual([
    { source: 'project', names: ['a'] },
    { source: 'system', names: ['b', 'echo c'] },
  ]);
});

test('settings that say nothing of hooks are fine', () => {
  const { project, files, write } = sandbox();
  write(files.project, { $schema: './x.json', ui: { theme: 'dark' }, tools: { sandbox: true } });
  expect(loadSettings(project)).toMatchObject({ enabled: undefined, problems: [] });
});
