import { chmodSync, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { main } from '../support/main.ts';
import { group } from '../support/project.ts';
import { sandbox } from '../support/sandbox.ts';

/** The programs that the engine starts itself, and those that its own scripts use. */
const programs = ['bash', 'sh', 'mkfifo', 'node', 'rm', 'kill', 'ps'];
const folders = ['', '.', './bin', 'bin', 'node_modules/.bin'];

/** A project that contains its own programs, each of which records that it was run. */
function hostile() {
  const box = sandbox();
  for (const folder of folders)
    for (const name of programs) {
      const file = join(box.project, folder, name);
      box.write(file, `#!/bin/sh\n: > '${box.folder}/hijacked'\n`);
      chmodSync(file, 0o755);
    }
  box.write(box.files.project, {
    enableHooks: true,
    hooks: { BeforeTool: [group('echo no >&2; exit 2')] },
  });
  return { ...box, isHijacked: () => existsSync(join(box.folder, 'hijacked')) };
}

test.each(folders)(
  'with %j first in the PATH, a project cannot replace the programs that the engine starts',
  async (folder) => {
    const { isHijacked, project, env } = hostile();
    const PATH = [folder, process.env['PATH']].join(delimiter);
    const { exitCode, stderr } = await execa(process.execPath, [main, 'fire', 'BeforeTool'], {
      cwd: project,
      env: { ...env, PATH, HOOKMACHINE_TRUST: '1' },
      input: '{"tool_name":"x","tool_input":{}}',
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([2, '']);
    expect(isHijacked()).toBe(false);
  },
);
