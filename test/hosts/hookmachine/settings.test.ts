import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { modelFromTurns } from '../../../src/entries/models.ts';
import { hookPoints } from '../../../src/core/points/hook-points.ts';
import { hookAt, sessionIn } from '../../support/own-hooks.ts';
import { sandbox } from '../../support/sandbox.ts';
import { print, someFields } from '../../support/session.ts';

const deny = (reason: string): string => `echo '${reason}' >&2; exit 2`;

const denying = { decision: 'deny', reason: 'no' };
const handledBy = async (hook: object, files: Readonly<Record<string, string>> = {}) => {
  const box = sandbox();
  for (const [name, text] of Object.entries(files)) box.write(join(box.project, name), text);
  box.write(box.own.project, hookAt('tool.before', hook));
  const model = modelFromTurns([{ text: '{"ok": false, "reason": "no"}' }]);
  const { fire, warnings } = sessionIn(box, { getHookModel: () => model });
  const { verdict } = await fire('BeforeTool', someFields.BeforeTool);
  expect(warnings).toEqual([]);
  return verdict;
};

const answeredBy = async (command: string, options: object = { canAsk: true }) => {
  const box = sandbox();
  box.write(box.own.user, hookAt('tool.before', command));
  const { fire } = sessionIn(box);
  return (await fire('BeforeTool', someFields.BeforeTool, options)).verdict;
};

const choosing = (allowedFunctionNames: readonly string[] | undefined) => ({
  type: 'command',
  command: print({
    hookSpecificOutput: { toolConfig: { mode: 'AUTO', allowedFunctionNames } },
  }),
});

describe('hooks of .hookmachine/settings.json', () => {
  test('a denial has only the reasons of the hooks that deny (S-07)', async () => {
    const box = sandbox();
    const asks = print({ decision: 'ask', reason: 'sure?' });
    const hooks = [asks, deny('one'), deny('two')].map((command) => ({ type: 'command', command }));
    box.write(box.own.user, { hooks: { 'tool.before': [{ hooks }] } });
    const { finalOutput } = await sessionIn(box).fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.getBlockReason()).toBe('one\ntwo');
  });

  test('our own hooks run without a switch, and their file may contain comments', async () => {
    const box = sandbox();
    box.write(
      box.own.project,
      `{ // guards
         "hooks": { "BeforeTool": [ { "hooks": [
           /* one */ { "type": "command", "command": "echo no >&2; exit 2" },
         ] } ] } }`,
    );
    const { fire, warnings } = sessionIn(box);
    const { verdict } = await fire('BeforeTool', someFields.BeforeTool);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(warnings).toEqual([]);
  });

  test.each(Object.entries(hookPoints))('%s is a name for %o.event', async (id, { event }) => {
    const box = sandbox();
    box.write(box.own.user, hookAt(id, 'cat > "$HOME/input"'));
    const { fire } = sessionIn(box);
    const { results } = await fire(event, (someFields as never)[event] ?? {});
    expect(results).toMatchObject([{ status: 'ok', hook: { nativeEvent: id } }]);
    expect(JSON.parse(readFileSync(join(box.home, 'input'), 'utf8'))).toMatchObject({
      hook_event_name: event,
      cwd: box.project,
    });
  });

  test('an unknown event is reported as one problem that names the event that was meant', async () => {
    const box = sandbox();
    box.write(box.own.user, { hooks: { ...hookAt('tool.befor', 'true').hooks } });
    const { config, warnings } = sessionIn(box);
    await config.getHookSystem()!.initialize();
    expect(warnings).toEqual([expect.stringContaining('use tool.before')]);
  });

  test.each([
    ['PreToolUse', 'tool.before'],
    ['before_tool_call', 'tool.before'],
    ['Stop', 'agent.stop'],
    ['beforeSubmitPrompt', 'prompt.submit'],
  ])('another host’s name for an event is reported with a hint to ours: %s', async (name, ours) => {
    const box = sandbox();
    box.write(box.own.user, hookAt(name, 'true'));
    const { config, warnings } = sessionIn(box);
    await config.getHookSystem()!.initialize();
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`; use ${ours}$`))]);
  });

  test('in the home folder the project’s settings are the user’s, and count once', async () => {
    const box = sandbox();
    box.write(box.own.user, hookAt('tool.before', 'true'));
    const { fire } = sessionIn(box, { cwd: box.home });
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results).toMatchObject([{ hook: { source: 'user' } }]);
  });

  test('a link to the home folder’s settings does not count twice', async () => {
    const box = sandbox();
    box.write(box.own.user, hookAt('tool.before', 'true'));
    symlinkSync(join(box.home, '.hookmachine'), join(box.project, '.hookmachine'));
    const { fire } = sessionIn(box);
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results).toMatchObject([{ hook: { source: 'user' } }]);
  });
});

describe('every kind of handler', () => {
  test('a shell command and a program with arguments can deny as handlers', async () => {
    const command = { type: 'command', command: deny('no') };
    expect(await handledBy(command)).toMatchObject(denying);
    const program = { type: 'command', command: 'bash', args: ['-c', deny('no')] };
    expect(await handledBy(program)).toMatchObject(denying);
  });

  test('a module can deny as a handler', async () => {
    const hook = { type: 'module', module: './guard.mjs' };
    const files = { 'guard.mjs': `export default () => (${JSON.stringify(denying)});` };
    expect(await handledBy(hook, files)).toMatchObject(denying);
  });

  test('a live process can deny as a handler', async () => {
    const hook = { type: 'live', command: 'node', args: ['live.mjs'] };
    const files = {
      'live.mjs': `import { createInterface } from 'node:readline';
        for await (const line of createInterface({ input: process.stdin })) {
          const { id } = JSON.parse(line);
          console.log(JSON.stringify({ id, output: ${JSON.stringify(denying)} }));
        }`,
    };
    expect(await handledBy(hook, files)).toMatchObject(denying);
  });

  test('a prompt can deny as a handler', async () => {
    expect(await handledBy({ type: 'prompt', prompt: 'Safe? $ARGUMENTS' })).toMatchObject(denying);
  });

  test('a server can deny as a handler', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(denying));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const hook = { type: 'http', url, allowedUrls: [url] };
    expect(await handledBy(hook)).toMatchObject(denying);
  });
});

describe('authority', () => {
  const off = { hooksConfig: { enabled: false } };

  test('a project’s switch and its disabled list leave the user’s hooks on', async () => {
    const box = sandbox();
    box.write(box.own.user, hookAt('tool.before', deny('mine')));
    box.write(box.own.project, { ...off, disabled: [deny('mine')] });
    const { fire } = sessionIn(box);
    const { verdict } = await fire('BeforeTool', someFields.BeforeTool);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'mine' });
  });

  test('a switch turns off the hooks of all dialects, at its own level and at weaker ones (S-13)', async () => {
    const box = sandbox();
    box.write(box.own.user, off);
    box.write(box.files.user, { enableHooks: true, ...hookAt('BeforeTool', deny('user')) });
    box.write(box.files.project, { enableHooks: true, ...hookAt('BeforeTool', deny('project')) });
    box.write(box.own.project, hookAt('tool.before', deny('own')));
    expect(sessionIn(box).config.getEnableHooks()).toBe(false);
    box.write(box.files.system, { enableHooks: true, ...hookAt('BeforeTool', deny('system')) });
    const { fire } = sessionIn(box);
    const { verdict } = await fire('BeforeTool', someFields.BeforeTool);
    expect(verdict.reason).toBe('system');
  });

  test('LLxprt’s own switch leaves our hooks on, and ours turns none of LLxprt’s on (S-13)', async () => {
    const box = sandbox();
    box.write(box.files.project, {
      tools: { enableHooks: false },
      ...hookAt('BeforeTool', deny('llxprt')),
    });
    box.write(box.own.project, { enableHooks: true, ...hookAt('tool.before', deny('ours')) });
    const { fire } = sessionIn(box);
    expect((await fire('BeforeTool', someFields.BeforeTool)).verdict.reason).toBe('ours');
  });

  test('nothing of an untrusted project counts, and this is reported in one line', async () => {
    const box = sandbox();
    box.write(box.own.project, { ...hookAt('tool.before', 'touch pwned; exit 2') });
    box.write(box.own.user, hookAt('tool.before', 'true'));
    const { fire, warnings } = sessionIn(box, { isTrustedFolder: () => false });
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results).toMatchObject([{ hook: { source: 'user' } }]);
    expect(warnings).toEqual([
      expect.stringContaining('the hooks of this project are not trusted'),
    ]);
  });

  test.each(['{', '[]'])('an administrator’s file that reads %s denies (S-12)', async (text) => {
    const box = sandbox();
    box.write(box.own.system, text);
    const { fire } = sessionIn(box);
    const { verdict } = await fire('BeforeTool', someFields.BeforeTool);
    expect(verdict).toMatchObject({ decision: 'deny' });
    expect(verdict.reason).toContain(box.own.system);
    expect((await fire('AfterTool', someFields.AfterTool)).verdict.decision).toBeUndefined();
  });

  test('a user’s defaultOnFailure applies to the project’s hooks in every dialect', async () => {
    const box = sandbox();
    box.write(box.own.user, { defaultOnFailure: 'block' });
    box.write(box.files.project, { enableHooks: true, ...hookAt('BeforeTool', 'exit 1') });
    const { fire } = sessionIn(box);
    expect((await fire('BeforeTool', someFields.BeforeTool)).verdict.decision).toBe('deny');
  });
});

describe('the answers of our own hooks', () => {
  test('a hook approves if it says so, but not if it only prints something (S-01)', async () => {
    expect(await answeredBy(print({ decision: 'allow' }))).toMatchObject({ approved: true });
    expect((await answeredBy('echo fine')).approved).toBeUndefined();
    expect((await answeredBy(print({ systemMessage: 'fine' }))).approved).toBeUndefined();
  });

  test('a hook that asks denies if nobody can be asked (S-02)', async () => {
    const ask = print({ decision: 'ask', reason: 'sure?' });
    expect(await answeredBy(ask)).toMatchObject({ decision: 'ask', reason: 'sure?' });
    expect(await answeredBy(ask, {})).toMatchObject({ decision: 'deny' });
  });

  test.each([
    ['in another case', print({ decision: 'DENY', reason: 'no' })],
    ['next to an invalid field', print({ decision: 'deny', reason: 'no', continue: 'x' })],
    ['with text around it', `echo checking; ${print({ decision: 'deny', reason: 'no' })}; echo`],
    ['in the specific output', print({ reason: 'no', hookSpecificOutput: { decision: 'deny' } })],
  ])('a denial %s counts before a tool (S-04)', async (_, command) => {
    expect(await answeredBy(command)).toMatchObject({ decision: 'deny', reason: 'no' });
  });

  test('the note on a denial in another case does not say that it was ignored', async () => {
    const box = sandbox();
    box.write(box.own.user, hookAt('tool.before', print({ decision: 'DENY' })));
    const { results } = await sessionIn(box).fire('BeforeTool', someFields.BeforeTool);
    expect(results.flatMap(({ notes }) => notes)).toEqual([
      'its denial counts, although it is not written correctly: print {"decision": "deny"} alone',
    ]);
  });

  test('arguments that contain the text of a denial do not deny', async () => {
    const content = JSON.stringify({ decision: 'deny' });
    const verdict = await answeredBy(print({ hookSpecificOutput: { tool_input: { content } } }));
    expect(verdict.decision).toBeUndefined();
    expect(verdict.changes.tool_input).toEqual({ patch: { content } });
  });

  test.each([
    [['a', 'b'], ['b', 'c'], { mode: 'AUTO', allowedFunctionNames: ['b'] }],
    [['a'], undefined, { mode: 'AUTO', allowedFunctionNames: ['a'] }],
    [['a'], ['b'], { mode: 'NONE', allowedFunctionNames: [] }],
  ])(
    'two hooks that allow the tools %j and %j leave only those of both: %j',
    async (one, other, left) => {
      const box = sandbox();
      box.write(box.own.user, {
        hooks: { 'tool.select': [{ hooks: [choosing(one), choosing(other)] }] },
      });
      const { fire } = sessionIn(box);
      const { verdict } = await fire('BeforeToolSelection', someFields.BeforeToolSelection);
      expect(verdict.changes.toolConfig).toEqual({ patch: left });
    },
  );

  test('hooks of two dialects judge one call, and any denial counts', async () => {
    const box = sandbox();
    box.write(box.own.user, hookAt('tool.before', print({ decision: 'allow' })));
    box.write(box.files.user, { enableHooks: true, ...hookAt('BeforeTool', deny('no')) });
    const { fire } = sessionIn(box);
    const { results, verdict } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results.map(({ hook }) => hook.dialect)).toEqual(['llxprt', 'hookmachine']);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(verdict.approved).toBeUndefined();
  });
});
