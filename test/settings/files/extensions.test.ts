import { renameSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isExtensionEnabled } from '../../../src/settings/files/extensions.ts';
import { loadSettings } from '../../../src/settings/files/load-settings.ts';
import { folderReader, settingsReader } from '../../../src/settings/files/read-files.ts';
import { formatProblem } from '../../../src/core/definitions/problem.ts';
import { sandbox } from '../../support/sandbox.ts';

const hooks = (command: string) => ({
  BeforeTool: [{ hooks: [{ type: 'command', command }] }],
});

/** The commands that extensions provide, with the folder that each may use as `${extensionPath}`. */
const commandsOf = (cwd: string, systemFolder?: string) =>
  loadSettings(cwd, undefined, undefined, { systemFolder })
    .sources.filter(({ hooks: own }) => own !== undefined)
    .map(({ source, hooks: own, env }) => [
      source,
      (own as ReturnType<typeof hooks>).BeforeTool[0]?.hooks[0]?.command,
      env?.['extensionPath'],
    ]);

describe('the hooks of an installed extension (HOOK-085)', () => {
  test.each(['llxprt-extension.json', 'gemini-extension.json', 'hooks/hooks.json'])(
    'the hooks of an extension may be in %s',
    (file) => {
      const { project, home, write } = sandbox();
      const path = `${home}/.llxprt/extensions/one`;
      write(`${path}/${file}`, { name: 'one', version: '1', hooks: hooks('a') });
      expect(commandsOf(project)).toEqual([['extension', 'a', path]]);
    },
  );

  test('hooks of an extension come from one manifest, preferably LLxprt’s, and from hooks/hooks.json', () => {
    const { project, home, write } = sandbox();
    const path = `${home}/.llxprt/extensions/one`;
    write(`${path}/llxprt-extension.json`, { hooks: hooks('llxprt') });
    write(`${path}/gemini-extension.json`, { hooks: hooks('gemini') });
    write(`${path}/hooks/hooks.json`, { hooks: hooks('more') });
    expect(commandsOf(project).map(([, command]) => command)).toEqual(['llxprt', 'more']);
  });

  test('hooks of extensions come in the order of the folders’ names, after all levels of settings', () => {
    const { project, home, files, write, systemFolder } = sandbox();
    for (const name of ['b', 'a', 'C'])
      write(`${home}/.llxprt/extensions/${name}/hooks/hooks.json`, { hooks: hooks(name) });
    write(files.system, { hooks: hooks('system') });
    expect(commandsOf(project, systemFolder).map(([, command]) => command)).toEqual([
      'system',
      'C',
      'a',
      'b',
    ]);
  });

  test('hooks of an extension also come from a folder that is a link', () => {
    const { folder, project, home, write } = sandbox();
    write(`${folder}/dev/hooks/hooks.json`, { hooks: hooks('linked') });
    write(`${home}/.llxprt/extensions/readme.md`, 'no extension');
    symlinkSync(`${folder}/dev`, `${home}/.llxprt/extensions/dev`);
    symlinkSync(`${folder}/nowhere`, `${home}/.llxprt/extensions/dangling`);
    expect(commandsOf(project).map(([, command]) => command)).toEqual(['linked']);
  });

  test('a broken file of an extension is reported, and its other file still counts', () => {
    const { project, home, write } = sandbox();
    const path = `${home}/.llxprt/extensions/one`;
    const broken = write(`${path}/llxprt-extension.json`, '{"name": "one"');
    write(`${path}/hooks/hooks.json`, { hooks: hooks('a') });
    expect(commandsOf(project)).toEqual([['extension', 'a', path]]);
    expect(loadSettings(project).problems.map(formatProblem)).toEqual([
      `${broken}:1:15: not valid JSON (a closing } is expected), so the whole file is ignored; fix the JSON there`,
    ]);
  });

  test('an extension does not switch hooks on', () => {
    const { project, home, write } = sandbox();
    write(`${home}/.llxprt/extensions/one/hooks/hooks.json`, {
      tools: { enableHooks: true },
      hooks: { ...hooks('a'), enabled: true },
    });
    expect(loadSettings(project).enabled).toBeUndefined();
  });
});

describe('an extension that the user disabled', () => {
  test('a disabled extension provides no hooks, and is known by the name in its manifest', () => {
    const { project, home, write } = sandbox();
    const folder = `${home}/.llxprt/extensions`;
    write(`${folder}/one/llxprt-extension.json`, { name: 'First', hooks: hooks('first') });
    write(`${folder}/two/hooks/hooks.json`, { hooks: hooks('second') });
    write(`${folder}/extension-enablement.json`, { First: { overrides: [`!${home}/*`] } });
    expect(commandsOf(project)).toHaveLength(2);
    write(`${folder}/extension-enablement.json`, { First: { overrides: [`!${project}/*`] } });
    expect(commandsOf(project).map(([, command]) => command)).toEqual(['second']);
    write(`${folder}/extension-enablement.json`, { two: { overrides: ['!/*'] } });
    expect(commandsOf(project).map(([, command]) => command)).toEqual(['first']);
  });

  test.each([
    [[], true],
    [['!/*'], false],
    [['!/a/*'], false],
    [['!/a/b/'], false],
    [['!/a/'], true],
    [['!/a/bc/*'], true],
    [['!/*', '/a/*'], true],
    [['/a/b/', '!/a/*'], false],
    [['!/*', 5, null], false],
  ])('the overrides %j make an extension active in /a/b: %j', (overrides, active) => {
    expect(isExtensionEnabled({ overrides }, '/a/b')).toBe(active);
  });

  test.each([undefined, null, [], {}, { overrides: '!/*' }])(
    'an enablement entry of %j disables no extension',
    (entry) => {
      expect(isExtensionEnabled(entry, '/a/b')).toBe(true);
    },
  );
});

describe('a folder of extensions that cannot be listed', () => {
  test.each([
    [0, 'cannot be read (ELOOP), so nothing in it counts; give this user read permission'],
    [1, 'cannot be read (ELOOP), so its last listing still counts; give this user read permission'],
  ])(
    'an unreadable folder of extensions counts as it last was, and is reported (read %i times)',
    (times, problem) => {
      const { project, home, write } = sandbox();
      const folder = `${home}/.llxprt/extensions`;
      write(`${folder}/one/llxprt-extension.json`, {
        name: 'one',
        version: '1',
        hooks: hooks('a'),
      });
      const [read, foldersIn] = [settingsReader(), folderReader()];
      const load = () => loadSettings(project, read, foldersIn);
      for (let time = 0; time < times; time++) load();
      renameSync(folder, `${folder}.away`);
      symlinkSync(folder, folder);
      const { sources, problems } = load();
      expect(sources.filter(({ hooks: own }) => own !== undefined)).toHaveLength(times);
      expect(problems.map(formatProblem)).toContain(`${folder}: ${problem}`);
    },
  );
});
