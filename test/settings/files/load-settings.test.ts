import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { authorities } from '../../../src/core/protocol/events.ts';
import { loadSettings } from '../../../src/settings/files/load-settings.ts';
import { formatProblem } from '../../../src/core/definitions/problem.ts';
import { isSwitchedOn } from '../../../src/settings/files/switches.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';

const on = { tools: { enableHooks: true } };
const off = { tools: { enableHooks: false } };
const hooks = { BeforeTool: [{ hooks: [{ type: 'command', command: 'true' }] }] };

const load = ({ project, systemFolder }: Sandbox, isTrusted = true) =>
  loadSettings(project, undefined, undefined, { systemFolder, isTrusted: () => isTrusted });
const sourcesOf = (cwd: string) => loadSettings(cwd).sources.map(({ source }) => source);

describe('the levels (HOOK-084, C-09)', () => {
  test('hooks are off and nothing is reported if there are no settings files', () => {
    const { project } = sandbox();
    const { enabled, sources, disabled, problems } = loadSettings(project);
    expect({ enabled, sources, disabled, problems }).toEqual({
      enabled: undefined,
      sources: [],
      disabled: [],
      problems: [],
    });
  });

  test('the sources are project, user and system in this order, each with its file', () => {
    const box = sandbox();
    const { files, write } = box;
    for (const file of Object.values(files)) write(file, { ...on, hooks });
    const { enabled, sources } = load(box);
    expect(enabled).toBe(true);
    expect(sources.map(({ source, file }) => [source, file])).toEqual(Object.entries(files));
    expect(sources.every((source) => source.hooks !== undefined)).toBe(true);
  });

  test.each(['project', 'user', 'system'] as const)('the %s alone can switch hooks on', (level) => {
    const box = sandbox();
    box.write(box.files[level], on);
    expect(load(box).enabled).toBe(true);
  });

  test('a false applies to hooks of its own level and of weaker ones, never to those of stronger ones (C-01)', () => {
    const box = sandbox();
    const { files, write } = box;
    const isOn = () => {
      const { switches } = load(box);
      return authorities.filter((source) => isSwitchedOn(switches, source, true));
    };
    write(files.project, off);
    write(files.user, on);
    expect(isOn()).toEqual(['system', 'user']);
    write(files.user, off);
    write(files.project, on);
    expect(isOn()).toEqual(['system']);
    write(files.system, off);
    expect(isOn()).toEqual([]);
  });

  test('an untrusted project has no effect, and its file is not parsed (S-17)', () => {
    const box = sandbox();
    box.write(box.files.project, `{ "enableHooks": true, "hooks": ${'['.repeat(1000)}`);
    expect(load(box, false)).toMatchObject({
      enabled: undefined,
      sources: [],
      disabled: [],
      problems: [],
      untrusted: [{ owner: 'llxprt', sight: { hasHooks: true } }],
    });
  });

  test.each([
    ['one letter', String.raw`"\u0068ooks"`],
    ['every letter', String.raw`"\u0068\u006f\u006F\u006b\u0073"`],
  ])('hooks under a key with %s escaped are noticed in an untrusted project too', (_, key) => {
    const box = sandbox();
    // The key may also span two of the pieces in which a long file is read.
    for (const before of [0, 65_500, 65_510, 65_520, 65_530]) {
      box.write(box.files.project, `${' '.repeat(before)}{ ${key}: {} }`);
      expect(load(box, false).untrusted).toMatchObject([{ sight: { hasHooks: true } }]);
    }
  });

  test('a file in a folder of another project does not count', () => {
    const { project, files, write } = sandbox();
    write(files.project, { ...on, hooks });
    mkdirSync(`${project}/sub`);
    expect(sourcesOf(`${project}/sub`)).toEqual([]);
  });
});

describe('a file that the environment names (S-11)', () => {
  const more = { ...off, hooks, hooksConfig: { disabled: ['mine'], enabled: false }, managed: {} };

  test("a file that the environment names adds to the administrator's hooks under both names of the variable and replaces none", () => {
    const box = sandbox();
    box.write(box.files.system, { ...on, hooks });
    const [old, new_] = [box.write('old.json', { hooks }), box.write('new.json', { hooks })];
    vi.stubEnv('LLXPRT_CODE_SYSTEM_SETTINGS_PATH', old);
    vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', new_);
    const { sources, problems, enabled } = load(box);
    expect(sources.map(({ source, file }) => [source, file])).toEqual([
      ['system', box.files.system],
      ['system', new_],
      ['system', old],
    ]);
    expect([enabled, problems]).toEqual([true, []]);
  });

  test('a file that the environment names neither switches nor disables hooks, and its attempts are reported', () => {
    const box = sandbox();
    box.write(box.files.user, { ...on, hooks });
    vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', box.write('more.json', more));
    const { switches, disabled, sources, problems } = load(box);
    expect(switches.map(({ source, word }) => [source, word])).toEqual([['user', true]]);
    expect(disabled).toEqual([{ source: 'user', file: box.files.user, names: [] }]);
    expect(sources.map(({ source }) => source)).toEqual(['user', 'system']);
    expect(problems.map(({ place }) => place)).toEqual([
      'tools.enableHooks',
      'hooksConfig.enabled',
      'hooksConfig.disabled',
      'managed',
    ]);
    expect(formatProblem(problems[0]!)).toContain('may only add hooks, so this was ignored');
  });

  test.each([
    ['relative', 'is a relative path', () => 'project/more.json'],
    [
      'writable by others',
      'can be written by others',
      (file: string) => (chmodSync(file, 0o666), file),
    ],
    [
      "another user's",
      'belongs to another user',
      (file: string) => (process.getuid?.() === 0 && chownSync(file, 12_345, 12_345), file),
    ],
  ])('a file that the environment names is ignored and reported if it is %s', (what, why, name) => {
    if (what === "another user's" && process.getuid?.() !== 0) return;
    const box = sandbox();
    const file = name(box.write('project/more.json', { hooks }));
    vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', file);
    const { sources, problems } = load(box);
    expect(sources).toEqual([]);
    expect(problems.map(formatProblem)).toEqual([expect.stringContaining(`${file}: ${why}`)]);
  });

  test("a level's own file stays at that level when the environment names it: a project's file gains no authority", () => {
    const box = sandbox();
    box.write(box.files.project, { ...on, hooks });
    for (const level of ['project', 'user', 'system'] as const) {
      box.write(box.files[level], { ...on, hooks });
      vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', box.files[level]);
      expect(load(box).switches.map(({ source }) => source)).toContain(level);
      expect(load(box).sources.filter(({ isAdded }) => isAdded)).toEqual([]);
    }
    vi.stubEnv('LLXPRT_SYSTEM_SETTINGS_PATH', box.files.project);
    expect(load(box, false).sources.map(({ source }) => source)).toEqual(['user', 'system']);
  });
});

describe("a system's file with unknown guards (S-12)", () => {
  test.each<[string, (box: Sandbox) => void, string]>([
    ['is not valid JSON', ({ write, files }) => void write(files.system, '{'), 'not valid JSON'],
    [
      'holds no object',
      ({ write, files }) => void write(files.system, '[]'),
      'is not a JSON object',
    ],
    [
      'is a folder',
      ({ files }) => void mkdirSync(files.system, { recursive: true }),
      'is not a file',
    ],
    [
      'is a broken link',
      ({ files }) => {
        mkdirSync(dirname(files.system), { recursive: true });
        symlinkSync('nowhere', files.system);
      },
      'is a broken link',
    ],
    [
      'is a link in a circle',
      ({ files }) => {
        mkdirSync(dirname(files.system), { recursive: true });
        symlinkSync('settings.json', files.system);
      },
      'cannot be read (ELOOP)',
    ],
  ])('the guards of a system file are unknown because it %s', (_, make, why) => {
    const box = sandbox();
    make(box);
    const { brokenSystem, problems } = load(box);
    expect(brokenSystem).toMatchObject({ file: box.files.system });
    expect(brokenSystem?.message).toContain(why);
    expect(brokenSystem?.message).toContain('denied until it is fixed');
    expect(problems).toEqual([brokenSystem]);
  });

  test('a missing system file has no unknown guards', () => {
    expect(load(sandbox()).brokenSystem).toBeUndefined();
  });
});

test('an unreadable file of the user or a trusted project does not count as one without hooks (S-10)', () => {
  const box = sandbox();
  mkdirSync(box.files.user, { recursive: true });
  mkdirSync(box.files.project, { recursive: true });
  expect(load(box).unknown.map(({ source }) => source)).toEqual(['project', 'user']);
  expect(load(box, false)).toMatchObject({
    unknown: [{ source: 'user' }],
    untrusted: [{ sight: { fault: 'its settings are not a file' } }],
  });
});

test('a dangling link of the user or a trusted project does not count as a file without hooks (S-10)', () => {
  const box = sandbox();
  for (const file of [box.files.user, box.files.project]) {
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync('nowhere', file);
  }
  expect(load(box).unknown.map(({ source }) => source)).toEqual(['project', 'user']);
  expect(load(box).problems.map(formatProblem)).toContain(
    `${box.files.user}: is a broken link, so the settings there are ignored; correct the link, or remove it`,
  );
  expect(load(box, false).unknown.map(({ source }) => source)).toEqual(['user']);
});

test('a folder of the system’s settings that is a link to nowhere denies, as a file does (S-12)', () => {
  for (const name of ['llxprt-code', 'hookmachine', 'hookmachine/settings.d']) {
    const box = sandbox();
    const folder = join(box.systemFolder, name);
    mkdirSync(dirname(folder), { recursive: true });
    symlinkSync('nowhere', folder);
    expect(load(box).brokenSystem).toMatchObject({ file: folder });
  }
});

test('a file in place of a settings folder is not a settings file', () => {
  const box = sandbox();
  for (const file of Object.values(box.files)) box.write(dirname(file), '');
  box.write(join(box.systemFolder, 'hookmachine'), '');
  expect(load(box)).toMatchObject({ unknown: [], problems: [], sources: [] });
  expect(load(box).brokenSystem).toBeUndefined();
});

describe('one file that serves two levels counts once', () => {
  test('the settings file in the home folder counts as the user’s', () => {
    const { home, files, write } = sandbox();
    write(files.user, { ...on, hooks });
    expect(sourcesOf(home)).toEqual(['user']);
    expect(loadSettings(home).enabled).toBe(true);
  });

  test('the settings file in the home folder counts as the user’s even if a link leads there', () => {
    const { folder, home, files, write } = sandbox();
    write(files.user, { ...on, hooks });
    symlinkSync(home, `${folder}/link`);
    expect(sourcesOf(`${folder}/link`)).toEqual(['user']);
  });

  test('the administrator’s file stays the administrator’s even if a project links to it', () => {
    const box = sandbox();
    const { files, write } = box;
    write(files.system, { ...on, hooks });
    mkdirSync(dirname(files.project), { recursive: true });
    symlinkSync(files.system, files.project);
    expect(load(box).sources.map(({ source }) => source)).toEqual(['system']);
  });
});

describe('a user without a home', () => {
  test.each(['', 'relative', '.'])(
    'a user with HOME=%j has no settings, least of all the project’s',
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

  test('a user whose home does not exist has no settings', () => {
    const { project, folder } = sandbox();
    vi.stubEnv('HOME', `${folder}/nowhere`);
    expect(sourcesOf(project)).toEqual([]);
  });
});

test('a broken file is reported with the place of the fault, and the other levels still count', () => {
  const { project, files, write } = sandbox();
  write(files.project, '{\n  "hooks": [}\n');
  write(files.user, { ...on, hooks });
  const { enabled, sources, problems } = loadSettings(project);
  expect(enabled).toBe(true);
  expect(sources.filter((source) => source.hooks !== undefined)).toMatchObject([
    { source: 'user' },
  ]);
  expect(problems.map(formatProblem)).toEqual([
    `${files.project}:2:13: not valid JSON (a value is expected), so the whole file is ignored; fix the JSON there`,
  ]);
});

test('a switch and a list of the wrong type are reported with their places', () => {
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
  const box = sandbox();
  const { files, write } = box;
  write(files.project, { hooks: { disabled: ['a'] } });
  write(files.system, { hooksConfig: { disabled: ['b', 'echo c'] } });
  expect(load(box).disabled).toEqual([
    { source: 'project', file: files.project, names: ['a'] },
    { source: 'system', file: files.system, names: ['b', 'echo c'] },
  ]);
});

test('settings that say nothing about hooks are accepted', () => {
  const { project, files, write } = sandbox();
  write(files.project, { $schema: './x.json', ui: { theme: 'dark' }, tools: { sandbox: true } });
  expect(loadSettings(project)).toMatchObject({ enabled: undefined, problems: [] });
});
