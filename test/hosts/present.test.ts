import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../src/core/calls/run-tool-call.ts';
import { fireBeforeToolHook } from '../../src/core/calls/hook-triggers.ts';
import { presentDialects } from '../../src/hosts/all/known.ts';
import { createConfig, type CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import { settingsOf } from '../support/claude-code.ts';
import { sandbox } from '../support/sandbox.ts';

const saysNo = (who: string): string => `echo 'no, says ${who}' >&2; exit 2`;

/** A config for a sandbox that uses every present dialect. */
function presentIn(
  { project, systemFolder }: Pick<ReturnType<typeof sandbox>, 'project' | 'systemFolder'>,
  options: Partial<CreateConfigOptions> = {},
) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: project,
    systemFolder,
    dialects: 'present',
    isTrustedFolder: () => true,
    onWarning: (line) => warnings.push(line),
    ...options,
  });
  return { config, warnings };
}

test('with present dialects the hooks of all hosts run from the first event on', async () => {
  const box = sandbox();
  const { config, warnings } = presentIn(box);
  box.write(join(box.project, '.claude/settings.json'), settingsOf('PreToolUse', saysNo('one')));
  box.write(join(box.home, '.gemini/settings.json'), settingsOf('BeforeTool', saysNo('two')));
  box.write(join(box.project, '.codex/hooks.json'), settingsOf('PreToolUse', saysNo('three')));
  box.write(box.own.user, settingsOf('tool.before', saysNo('four')));
  const run = vi.fn<() => Promise<never>>();
  const { llmContent } = await executeToolWithHooks(config, 'write_file', {}, run);
  expect(run).not.toHaveBeenCalled();
  for (const who of ['one', 'two', 'three', 'four'])
    expect(llmContent).toContain(`no, says ${who}`);
  expect(warnings).toEqual([]);
  expect(await config.getDialects?.()).toEqual(presentDialects);
  expect(config.getHookSystem()?.hasHooksFor('BeforeTool', 'write_file')).toBe(true);
});

test('with present dialects a project without hooks has no hook system after its first event', async () => {
  const { config, warnings } = presentIn(sandbox());
  expect(config.getHookSystem()).toBeDefined();
  expect(await fireBeforeToolHook(config, 'write_file', {})).toBeUndefined();
  expect(config.getEnableHooks()).toBe(false);
  expect(config.getHookSystem()).toBeUndefined();
  expect(warnings).toEqual([]);
});

test('with present dialects no settings are read before the first event', async () => {
  const box = sandbox();
  const { config, warnings } = presentIn(box);
  box.write(box.own.project, '{');
  const system = config.getHookSystem();
  expect(warnings).toEqual([]);
  await system?.initialize();
  expect(warnings).toEqual([expect.stringContaining(box.own.project)]);
});

test('with present dialects hooks that are switched off in code stay off', async () => {
  const box = sandbox();
  box.write(join(box.home, '.claude/settings.json'), settingsOf('PreToolUse', saysNo('one')));
  expect(presentIn(box, { enableHooks: false }).config.getHookSystem()).toBeUndefined();
  const { config } = presentIn(box, { enableHooks: 'system' });
  expect(await fireBeforeToolHook(config, 'write_file', {})).toBeUndefined();
});

test('with present dialects the hooks of a host in an untrusted project are skipped with a warning', async () => {
  const box = sandbox();
  box.write(join(box.project, '.claude/settings.json'), settingsOf('PreToolUse', saysNo('one')));
  const { config, warnings } = presentIn(box, { isTrustedFolder: () => false });
  expect(await fireBeforeToolHook(config, 'write_file', {})).toBeUndefined();
  expect(warnings).toEqual([
    `${box.project}: the hooks of this project are not trusted, so they were skipped; trust it to have its hooks run`,
  ]);
});
