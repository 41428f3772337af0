import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineHooks } from '../../src/settings/files/define-hooks.ts';
import { loadSettings } from '../../src/settings/files/load-settings.ts';
import { formatProblem } from '../../src/core/definitions/problem.ts';
import { promise, type Target } from '../target.ts';

let folder: string | undefined;

/** A project's settings file beside a valid one of the administrator's, as a session reads them. */
export const settings: Target = {
  name: 'settings',
  words: [
    'hooks',
    'BeforeTool',
    'AfterModel',
    'matcher',
    'sequential',
    'type',
    'command',
    'plugin',
    'timeout',
    'name',
    'onFailure',
    'defaultOnFailure',
    'matchers',
    'timout',
    'hook',
    'redact',
    'tools',
    'enableHooks',
    'hooksConfig',
    'disabled',
    'enabled',
    '// comment\n',
    '/* */',
    ',',
  ],
  run(text) {
    folder ??= prepare();
    writeFileSync(join(folder, '.llxprt/settings.json'), text);
    const before = process.env['LLXPRT_SYSTEM_SETTINGS_PATH'];
    process.env['LLXPRT_SYSTEM_SETTINGS_PATH'] = join(folder, 'system.json');
    try {
      const { sources, problems } = loadSettings(folder);
      const read = sources.map((from) => defineHooks(from));
      const system = read[sources.findIndex(({ source }) => source === 'system')];
      promise(system?.definitions.length === 1, "the administrator's guard is read");
      for (const one of read)
        promise(one.problems.length <= 101, 'of very many problems the first are reported');
      for (const problem of [...problems, ...read.flatMap((one) => one.problems)]) {
        promise(problem.fix !== '', 'a problem has a fix');
        formatProblem(problem);
      }
      for (const { command, type, timeout } of read.flatMap(({ definitions }) => definitions))
        promise(
          (type === 'plugin' || /\S/.test(command)) && timeout > 0,
          'a definition can be run',
        );
    } finally {
      if (before === undefined) delete process.env['LLXPRT_SYSTEM_SETTINGS_PATH'];
      else process.env['LLXPRT_SYSTEM_SETTINGS_PATH'] = before;
    }
  },
  close() {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    folder = undefined;
  },
};

function prepare(): string {
  const made = mkdtempSync(join(tmpdir(), 'hookmachine fuzz '));
  mkdirSync(join(made, '.llxprt'));
  const guard = { hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] } };
  writeFileSync(join(made, 'system.json'), JSON.stringify(guard));
  return made;
}
