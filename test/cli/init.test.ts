import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { inProcess } from '../support/in-process.ts';
import { sandbox, type Sandbox } from '../support/sandbox.ts';

const read = (box: Sandbox, file: string): string => readFileSync(join(box.project, file), 'utf8');
const settingsOf = (box: Sandbox) =>
  JSON.parse(read(box, '.hookmachine/settings.json')) as { $schema: string; hooks: object };
const call = (path: string): string =>
  JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: path, content: 'x' } });

describe('hookmachine init', () => {
  test.each(['sh', 'python', 'node', 'typescript'])(
    'init --lang %s writes a guard that does what its tests say, and with which nothing is wrong',
    async (lang) => {
      const box = sandbox();
      const { stdout, stderr, exitCode } = await inProcess(box, ['init', '--lang', lang]);
      expect([stderr, exitCode]).toEqual(['', 0]);
      expect(stdout).toContain('hookmachine test');
      const { tests } = parse(read(box, '.hookmachine/hooks/no-env.hooktest.yaml')) as {
        tests: { event: string; input: object; expect: { decision: string; reason?: string } }[];
      };
      for (const { event, input, expect: wanted } of tests) {
        const fired = await inProcess(box, ['fire', event], JSON.stringify(input));
        const { decision, reason } = JSON.parse(fired.stdout) as { decision: string; reason: string | null }; // prettier-ignore
        expect(decision === 'none' ? 'allow' : decision).toBe(wanted.decision);
        if (wanted.reason !== undefined) expect(reason).toContain(wanted.reason);
      }
      expect((await inProcess(box, ['check'])).stdout).toBe('Nothing is wrong with 6 hooks.');
    },
  );

  test('init switches on the guards that come with hookmachine, unless it is told not to', async () => {
    const box = sandbox();
    await inProcess(box, ['init']);
    const command = JSON.stringify({
      tool_name: 'run_shell_command',
      tool_input: { command: 'git reset --hard; rm -rf ~/Documents' },
    });
    const fired = await inProcess(box, ['fire', 'BeforeTool'], command);
    expect(fired.exitCode).toBe(2);
    expect(fired.stdout).toContain('shell/delete-home');

    const other = sandbox();
    await inProcess(other, ['init', '--no-guards']);
    expect(settingsOf(other)).not.toHaveProperty('guards');
  });

  test('init names a schema that exists and accepts the settings, whether hookmachine is installed or not', async () => {
    const box = sandbox();
    await inProcess(box, ['init']);
    const settings = settingsOf(box);
    const schema = resolve(join(box.project, '.hookmachine'), settings.$schema);
    expect(dirname(schema)).toBe(join(box.project, '.hookmachine'));
    const validate = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(schema, 'utf8')) as object); // prettier-ignore
    expect(validate(settings)).toBe(true);

    const other = sandbox();
    const installed = other.write(join(other.project, 'node_modules/hookmachine/settings.schema.json'), {}); // prettier-ignore
    await inProcess(other, ['init']);
    expect(resolve(join(other.project, '.hookmachine'), settingsOf(other).$schema)).toBe(installed);
  });

  test('init says what it found in a project with hooks, and without a terminal writes nothing unless told to', async () => {
    const box = sandbox();
    const theirs = box.write(join(box.project, '.claude/settings.json'), {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    });
    const before = '{\n  // ours\n  "hooks": {}\n}\n';
    box.write(box.own.project, before);
    const refused = await inProcess(box, ['init']);
    expect(refused.stdout).toContain(`1 hook of claude-code in ${theirs}`);
    expect(refused.stdout).toContain('change  .hookmachine/settings.json');
    expect(refused.stderr).toContain('pass --yes, or answer on a terminal');
    expect(refused.exitCode).toBe(1);
    expect(readFileSync(box.own.project, 'utf8')).toBe(before);
    expect(existsSync(join(box.project, '.hookmachine/hooks'))).toBe(false);

    const { exitCode } = await inProcess(box, ['init', '--yes']);
    expect(exitCode).toBe(0);
    expect(readFileSync(box.own.project, 'utf8')).toMatch(/\/\/ ours[^]*no-env\.sh/);
    const blocked = await inProcess(box, ['fire', 'BeforeTool'], call('sub/.env'));
    expect(blocked.exitCode).toBe(2);
  });

  test('init ends with what has the agents of this machine call the guards, also as JSON', async () => {
    const box = sandbox();
    const programs = join(box.home, 'programs');
    chmodSync(box.write(join(programs, 'codex'), '#!/bin/sh\n'), 0o755);
    const env = { ...box.env, PATH: `${programs}:/usr/bin:/bin` };
    const { stdout } = await inProcess({ project: box.project, env }, ['init', '--json']);
    const { files, written, next } = JSON.parse(stdout) as {
      readonly files: readonly { readonly what: string }[];
      readonly written: boolean;
      readonly next: readonly { readonly command: string }[];
    };
    expect([written, files.every(({ what }) => what === 'new')]).toEqual([true, true]);
    expect(next[0]).toEqual({ command: 'hookmachine install codex', does: 'has Codex call them' });
    const again = await inProcess({ project: box.project, env }, ['init', '--yes']);
    expect(again.stdout).toMatch(/nothing was written\. Next:\n {2}hookmachine install codex {2}/);
  });

  test('init replaces no existing file, and does not touch settings that cannot be read', async () => {
    const box = sandbox();
    const mine = box.write(join(box.project, '.hookmachine/hooks/no-env.sh'), 'mine');
    await inProcess(box, ['init', '--yes']);
    expect(readFileSync(mine, 'utf8')).toBe('mine');
    const again = await inProcess(box, ['init']);
    expect(again.stdout).toContain('Everything is there already; nothing was written.');
    expect(again.exitCode).toBe(0);

    box.write(box.own.project, '{ "hooks": ');
    const broken = await inProcess(box, ['init', '--yes']);
    expect(broken.stderr).toContain('not valid JSON');
    expect([broken.exitCode, readFileSync(box.own.project, 'utf8')]).toEqual([1, '{ "hooks": ']);
  });
});
