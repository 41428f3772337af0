import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasEtcOfItsOwn } from '../support/hookmachine.ts';
import { inProcess } from '../support/in-process.ts';
import { hookAt } from '../support/own-hooks.ts';
import { sandbox } from '../support/sandbox.ts';

const call = JSON.stringify({ tool_name: 'write_file', tool_input: { file_path: 'a' } });
const guard = { type: 'command', command: 'echo no >&2; exit 2', name: 'guard' };
const asked = { HOOKMACHINE_TRUST: '' };

describe('hooks of .hookmachine/settings.json on the command line', () => {
  test('our own hooks run without a switch, under LLxprt’s names of events and under ours', async () => {
    const box = sandbox();
    box.write(box.own.project, hookAt('tool.before', guard));
    const asLlxprt = await inProcess(box, ['fire', 'BeforeTool'], call);
    expect(asLlxprt.exitCode).toBe(2);
    const ours = ['fire', '--dialect', 'hookmachine', 'tool.before'];
    const asOurs = await inProcess(box, ours, call);
    expect(asOurs.exitCode).toBe(2);
    expect(JSON.parse(asOurs.stdout)).toMatchObject({
      event: 'tool.before',
      decision: 'deny',
      reason: 'no',
      hooks: [{ dialect: 'hookmachine', source: 'project' }],
    });
  });

  test('none of our own hooks of a project runs before it is trusted', async () => {
    const box = sandbox();
    box.write(box.own.project, hookAt('tool.before', guard));
    const before = { ...box, env: { ...box.env, ...asked } };
    const skipped = await inProcess(before, ['fire', 'BeforeTool'], call);
    expect(skipped).toMatchObject({ exitCode: 0 });
    expect(skipped.stderr).toContain('not trusted');
    expect(skipped.stderr.trim().split('\n')).toHaveLength(1);
    const shown = await inProcess(before, ['trust', '--show']);
    expect(shown.stdout).toContain('guard');
    await inProcess(before, ['trust', '--yes']);
    expect((await inProcess(before, ['fire', 'BeforeTool'], call)).exitCode).toBe(2);
  });

  test('list shows our own hooks, also at events that only we have', async () => {
    const box = sandbox();
    box.write(box.own.project, hookAt('tool.permission', guard));
    const { stdout } = await inProcess(box, ['list']);
    expect(stdout).toContain('tool.permission\n  guard\n');
    expect(stdout).toContain('dialect  hookmachine');
    expect(stdout).toContain(`${box.own.project} hooks.tool.permission[0].hooks[0]`);
    expect(stdout).not.toContain('hooks are off');
  });

  test('disable and enable edit the file that defines one of our own hooks', async () => {
    const box = sandbox();
    box.write(
      box.own.project,
      `{ // ours\n "hooks": ${JSON.stringify(hookAt('tool.before', guard).hooks)} }`,
    );
    const disabled = await inProcess(box, ['disable', 'guard']);
    expect(disabled.stdout).toContain(`is disabled, in ${box.own.project} hooksConfig.disabled`);
    expect(readFileSync(box.own.project, 'utf8')).toContain('// ours');
    expect((await inProcess(box, ['fire', 'BeforeTool'], call)).exitCode).toBe(0);
    const enabled = await inProcess(box, ['enable', 'guard']);
    expect(enabled.stdout).toContain(`removed from ${box.own.project} hooksConfig.disabled`);
    expect((await inProcess(box, ['fire', 'BeforeTool'], call)).exitCode).toBe(2);
  });

  test.runIf(hasEtcOfItsOwn)('a broken file of the administrator’s own hooks denies', async () => {
    const box = sandbox();
    box.write(box.own.system, '{');
    const { exitCode, stdout } = await inProcess(box, ['fire', 'BeforeTool'], call);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout).reason).toContain('/etc/hookmachine/settings.json');
  });
});
