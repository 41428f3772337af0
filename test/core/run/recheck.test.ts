import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { print } from '../../support/session.ts';
import { hookAt, sessionIn } from '../../support/own-hooks.ts';
import { sandbox } from '../../support/sandbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const judge = `input=$(cat); echo "$input" >> asked
case "$input" in *secret*) echo 'no secrets' >&2; exit 2;; esac`;
const rewrite = `echo '{"hookSpecificOutput":{"tool_input":{"path":"secret"}}}'`;

const plain = { tool_name: 'write_file', tool_input: { path: 'plain' } };

async function fire(recheck: boolean, ...commands: string[]) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: tempFolder(),
    settings: {
      tools: { enableHooks: true },
      hooksConfig: { recheck },
      hooks: {
        BeforeTool: [{ hooks: commands.map((command) => ({ type: 'command' as const, command })) }],
      },
    },
    onWarning: (line) => warnings.push(line),
  });
  await config.getHookSystem()!.initialize();
  const handler = config.getHookSystem()!.getEventHandler();
  return { ...(await handler.fireBeforeToolEvent('write_file', { path: 'plain' })), warnings };
}

describe('with "recheck": true', () => {
  test('with "recheck", a hook that judged other arguments is asked once more, and may deny', async () => {
    const { finalOutput, results } = await fire(true, judge, rewrite);
    expect(finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no secrets' });
    expect(results.map(({ hook }) => hook.command)).toEqual([judge, rewrite, judge]);
  });

  test('with "recheck", no hook is asked once more if nothing was changed', async () => {
    const { results } = await fire(true, judge, 'true');
    expect(results).toHaveLength(2);
  });

  test('with "recheck", the hook that made the change is not asked about it', async () => {
    const { results } = await fire(true, rewrite);
    expect(results).toHaveLength(1);
  });

  test('with "recheck", a hook that is asked once more cannot change the arguments again', async () => {
    const other = `echo '{"hookSpecificOutput":{"tool_input":{"other":1}}}'`;
    const { finalOutput, results, warnings } = await fire(true, rewrite, other);
    expect(results).toHaveLength(4);
    expect(finalOutput?.hookSpecificOutput?.['tool_input']).toEqual({ path: 'secret', other: 1 });
    expect(warnings.filter((line) => line.includes('asked again'))).toHaveLength(2);
  });
});

test('what a hook says both times it is asked is merged once; what it says about different arguments is merged both times', async () => {
  const same = print({ systemMessage: 'Mind the rules', reason: 'because' });
  const own = `case "$(cat)" in *secret*) ${print({ systemMessage: 'secret' })};; *) ${print({ systemMessage: 'plain' })};; esac`;
  const { finalOutput, results } = await fire(true, same, own, rewrite);
  expect(results).toHaveLength(5);
  expect(finalOutput).toMatchObject({
    systemMessage: 'Mind the rules\nplain\nsecret',
    reason: 'because',
  });
});

const recheckAt = (judging: object, changing: object) => ({
  hooksConfig: { recheck: true },
  hooks: { 'tool.before': [{ hooks: [judging, changing] }] },
});
const command = (text: string, more: object = {}) => ({ type: 'command', command: text, ...more });

test('a hook that runs once is asked once more within its one event', async () => {
  const box = sandbox();
  box.write(box.own.user, recheckAt(command(judge, { once: true }), command(rewrite)));
  const { fire: fireIn } = sessionIn(box);
  const { verdict, results } = await fireIn('BeforeTool', plain);
  expect([verdict.decision, results.length]).toEqual(['deny', 3]);
  expect((await fireIn('BeforeTool', plain)).results).toHaveLength(1);
});

test.each([
  ['is not asked once more, and what it said before still counts', {}, undefined],
  ['denies, if its failure denies', { onFailure: 'block' }, 'deny'],
])('a hook that is no longer trusted by then %s', async (_, more, decision) => {
  const box = sandbox();
  // The user's own hook needs nobody's trust.
  box.write(box.own.user, { hooksConfig: { recheck: true }, ...hookAt('tool.before', rewrite) });
  box.write(box.own.project, hookAt('tool.before', command(judge, more)));
  const asked = join(box.project, 'asked');
  const { fire: fireIn, warnings } = sessionIn(box, {
    checkTrust: () =>
      existsSync(asked)
        ? { trusted: false, why: 'it changed', fix: 'look at it' }
        : { trusted: true },
  });
  const { verdict } = await fireIn('BeforeTool', plain);
  expect(verdict.decision).toBe(decision);
  expect(verdict.changes.tool_input).toEqual({ patch: { path: 'secret' } });
  expect(readFileSync(asked, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(warnings.join()).toContain('it changed');
});

test('without "recheck", a judgement of other arguments still counts', async () => {
  const { finalOutput, results } = await fire(false, judge, rewrite);
  expect(finalOutput?.isBlockingDecision()).toBe(false);
  expect(results).toHaveLength(2);
});
