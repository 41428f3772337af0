import { execa } from 'execa';
import { expect, test } from 'vitest';
import { group } from '../support/project.ts';
import { sandbox } from '../support/sandbox.ts';
import { main } from '../support/main.ts';

/** Expressions that never end on a name that nearly matches, each with such a name. */
const traps: readonly (readonly [string, string])[] = [
  ['^(a+)+$', `${'a'.repeat(60)}!`],
  ['^(a|a)*$', `${'a'.repeat(60)}!`],
  ['^(a|aa)+$', `${'a'.repeat(80)}!`],
  ['^([a-z]+_?)+$', `${'a'.repeat(60)}!`],
  ['(x+x+)+y', 'x'.repeat(80)],
  ['^(.*)*\\d$', 'a'.repeat(60)],
  ['^(\\w+\\s?)*$', `${'a'.repeat(60)}!`],
  ['(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)\\d', 'a'.repeat(300)],
  ['a*a*a*a*a*a*a*a*a*b', 'a'.repeat(300)],
  ['^(?=(a+))\\1+b(a+)+$|^(a+)+$', `${'a'.repeat(60)}!`],
];

/** Fires BeforeTool in a separate process, which a matcher may hang only until the timeout. */
async function fire(tool_name: string, groups: readonly object[]) {
  const box = sandbox();
  box.write(box.files.project, { enableHooks: true, hooks: { BeforeTool: groups } });
  return execa(process.execPath, [main, 'fire', 'BeforeTool'], {
    cwd: box.project,
    env: { ...box.env, HOOKMACHINE_TRUST: '1' },
    input: JSON.stringify({ tool_name, tool_input: {} }),
    timeout: 120_000,
    forceKillAfterDelay: 100,
    reject: false,
  });
}

const warning = expect.stringContaining('its matcher cannot be decided');

test.each(traps)('the matcher %s stalls nothing, and its hook runs', async (matcher, tool_name) => {
  const { exitCode, stderr } = await fire(tool_name, [group('exit 2', {}, matcher)]);
  expect([exitCode, stderr]).toEqual([2, warning]);
});

test('a guard next to a catastrophic matcher still counts', async () => {
  const [[matcher, tool_name]] = traps as [(typeof traps)[number]];
  const { exitCode, stderr } = await fire(tool_name, [group('true', {}, matcher), group('exit 2')]);
  expect([exitCode, stderr]).toEqual([2, warning]);
});
