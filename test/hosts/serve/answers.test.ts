import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookmachine } from '../../support/hookmachine.ts';
import { guards, relayBox, says } from '../../support/relay.ts';
import { callIn, serveForAll, sessionIn, startServe } from '../../support/serve.ts';
import { isAlive, untilWritten, waitUntil } from '../../support/until.ts';

const serve = serveForAll();

const before = (fields: object) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields },
});
const denial = (reason: unknown) =>
  before({ permissionDecision: 'deny', permissionDecisionReason: reason });

describe('serve answers as relay does', () => {
  test.each([
    ['nothing if there is no opinion', guards.silence, 204, undefined],
    ['nothing if a hook failed', guards.failure, 204, undefined],
    [
      'an approval',
      guards.allow,
      200,
      before({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }),
    ],
    ['a denial', guards.deny, 200, denial('not here')],
    [
      'a question for the user',
      guards.ask,
      200,
      before({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
    ],
    [
      'other arguments',
      says({ hookSpecificOutput: { tool_input: { command: 'ls -l' } } }),
      200,
      before({ updatedInput: { command: 'ls -l' } }),
    ],
    ['context', guards.context, 200, before({ additionalContext: 'by the way' })],
    [
      'a stop and a denial of the tool',
      guards.stop,
      200,
      { continue: false, stopReason: 'enough', ...denial('enough') },
    ],
  ])('serve answers with %s, as relay does', async (_, guard, status, answer) => {
    const box = relayBox();
    box.guard({ 'tool.before': guard });
    const { post } = serve();
    const answered = await post(callIn(box.project));
    expect(answered).toMatchObject({ status, answer });
    const relayed = await box.relay('claude-code', callIn(box.project));
    expect(answered.answer).toEqual(relayed.answer);
  });

  test('serve answers events side by side, each for itself', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': 'jq -r .tool_input.command >&2; exit 2' });
    const { post } = serve();
    const commands = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answered = await Promise.all(
      commands.map((command) => post(callIn(box.project, { tool_input: { command } }))),
    );
    expect(answered.map(({ answer }) => answer)).toEqual(commands.map(denial));
  });

  test('serve answers an event that waits for another one of its session', async () => {
    const box = relayBox();
    const [came, go] = [join(box.project, 'came'), join(box.project, 'go')];
    box.guard({
      'tool.before': `case $(jq -r .tool_input.command) in slow) echo x > "${came}"; until [ -f "${go}" ]; do sleep 0.02; done;; *) touch "${go}";; esac`,
    });
    const { post } = serve();
    const slow = post(callIn(box.project, { tool_input: { command: 'slow' } }));
    await untilWritten(came);
    expect((await post(callIn(box.project))).status).toBe(204);
    expect((await slow).status).toBe(204);
  });

  test('serve answers an event that only the path names', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': guards.deny });
    const { post } = serve();
    const given = { ...callIn(box.project), hook_event_name: undefined };
    expect((await post(given, { path: '/claude-code/PreToolUse' })).answer).toEqual(
      denial('not here'),
    );
  });

  test('serve answers an event of 10 MB', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': 'wc -c >&2; exit 2' });
    const { post } = serve();
    const { answer } = await post(
      callIn(box.project, { tool_input: { command: 'x'.repeat(10_000_000) } }),
    );
    expect(answer).toEqual(denial(expect.stringMatching(/^10\d{6}$/)));
  });
});

test('serve judges an event that came before the end of its session, even if its hooks are found only after that', async () => {
  const box = relayBox();
  const file = (name: string): string => join(box.project, name);
  const until = (name: string): string => `until [ -f "${file(name)}" ]; do sleep 0.02; done`;
  const guard = (comment: string): void => {
    const executable = box.write(
      file('.kodelet/hooks/guard'),
      `#!/bin/sh
# ${comment}
if [ "$1" = run ]; then cat > /dev/null; echo '{"blocked":true,"reason":"not here"}'; exit; fi
if [ -f "${file('slow')}" ]; then touch "${file('asked')}"; ${until('ended')}; fi
echo before_tool_call
`,
    );
    chmodSync(executable, 0o755);
  };
  guard('first');
  box.guard({ 'session.end': `touch "${file('ending')}"; ${until('asked')}` });
  const { post } = serve();
  expect((await post(callIn(box.project))).answer).toEqual(denial('not here'));
  const session_id = sessionIn(box.project);
  const end = { hook_event_name: 'SessionEnd', session_id, cwd: box.project, reason: 'x' };
  const ended = post(end);
  await waitUntil(() => existsSync(file('ending')));
  box.write(file('slow'), 'x');
  guard('second');
  const judged = post(callIn(box.project));
  await ended;
  box.write(file('ended'), 'x');
  expect((await judged).answer).toEqual(denial('not here'));
});

describe('serve judges by the settings as they are when an event comes', () => {
  test('serve judges by settings that were changed', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': guards.deny });
    const { post } = serve();
    expect((await post(callIn(box.project))).answer).toEqual(denial('not here'));
    box.guard({ 'tool.before': 'echo "nor here" >&2; exit 2' });
    expect((await post(callIn(box.project))).answer).toEqual(denial('nor here'));
    box.guard({});
    expect((await post(callIn(box.project))).status).toBe(204);
  });

  test('serve judges by settings that a project did not have before', async () => {
    const box = relayBox();
    const { post } = serve();
    expect((await post(callIn(box.project))).status).toBe(204);
    box.guard({ 'tool.before': guards.deny });
    expect((await post(callIn(box.project))).answer).toEqual(denial('not here'));
  });

  test('serve judges by settings as they were before if they broke meanwhile', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': guards.deny });
    const { post, stderr } = await startServe(box);
    await post(callIn(box.project));
    box.write(box.own.project, '{ "hooks": [');
    expect((await post(callIn(box.project))).answer).toEqual(denial('not here'));
    expect(stderr()).toContain('not valid JSON');
  });

  test('serve judges by new settings of another dialect', async () => {
    const box = relayBox();
    const { post } = serve();
    expect((await post(callIn(box.project))).status).toBe(204);
    box.write(join(box.project, '.codex/hooks.json'), {
      hooks: {
        PreToolUse: [{ hooks: [{ type: 'command', command: 'echo "by another" >&2; exit 2' }] }],
      },
    });
    expect((await post(callIn(box.project))).answer).toEqual(denial('by another'));
  });

  test('serve judges by the hooks that an extension did not have before, from the next event on', async () => {
    const box = relayBox();
    const extension = join(box.home, '.gemini/extensions/guards');
    box.write(join(extension, 'gemini-extension.json'), { name: 'guards', version: '1.0.0' });
    box.write(join(extension, 'hooks/other.json'), {});
    const { post } = await startServe(box);
    expect((await post(callIn(box.project))).status).toBe(204);
    box.write(join(extension, 'hooks/hooks.json'), {
      hooks: {
        BeforeTool: [{ hooks: [{ type: 'command', command: 'echo "deep down" >&2; exit 2' }] }],
      },
    });
    expect((await post(callIn(box.project))).answer).toEqual(denial('deep down'));
  });

  test('serve judges by the settings of a project as soon as the user trusts it', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': guards.deny });
    const env = { HOOKMACHINE_TRUST: '' };
    const { post } = await startServe(box, [], env);
    expect((await post(callIn(box.project))).status).toBe(204);
    await hookmachine({ project: box.project, env: { ...box.env, ...env } }, ['trust', '--yes']);
    expect((await post(callIn(box.project))).answer).toEqual(denial('not here'));
  });

  test('serve does not judge by the settings of an untrusted project', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': 'touch ran; exit 2' });
    const { post, stderr } = await startServe(box, [], { HOOKMACHINE_TRUST: '' });
    expect((await post(callIn(box.project))).status).toBe(204);
    expect(existsSync(join(box.project, 'ran'))).toBe(false);
    expect(stderr()).toContain('hookmachine trust');
  });
});

describe('serve keeps hooks for the next event', () => {
  test('serve keeps module hooks for the next event, and reads a changed one again', async () => {
    const box = relayBox();
    const module = (word: string): string =>
      box.write(
        join(box.project, 'guard.mjs'),
        `let calls = 0; export default () => ({ decision: 'deny', reason: '${word} ' + ++calls });`,
      );
    module('old');
    box.write(box.own.project, {
      hooks: { 'tool.before': [{ hooks: [{ type: 'module', module: './guard.mjs' }] }] },
    });
    const { post } = serve();
    const reasons = async (): Promise<unknown> => (await post(callIn(box.project))).answer;
    await waitUntil(async () => JSON.stringify(await reasons()).includes('old 3') || undefined);
    module('new');
    expect(await reasons()).toEqual(denial('new 1'));
  });

  test('serve keeps live hooks for the next event, and ends them with the last session of their project', async () => {
    const box = relayBox();
    const script = box.write(
      join(box.project, 'live.mjs'),
      `import { createInterface } from 'node:readline';
       let calls = 0;
       for await (const line of createInterface({ input: process.stdin }))
         console.log(JSON.stringify({ id: JSON.parse(line).id, output: { decision: 'deny', reason: process.pid + ' ' + ++calls } }));`,
    );
    box.write(box.own.project, {
      hooks: { 'tool.before': [{ hooks: [{ type: 'live', command: 'node', args: [script] }] }] },
    });
    const { post } = serve();
    const reasonIn = async (session_id: string): Promise<string> => {
      const { body } = await post(callIn(box.project, { session_id }));
      return /"permissionDecisionReason":"([^"]*)"/.exec(body)?.[1] ?? body;
    };
    const [pid, first] = (await reasonIn('s1')).split(' ');
    expect([first, await reasonIn('s1'), await reasonIn('s2')]).toEqual([
      '1',
      `${pid} 2`,
      `${pid} 3`,
    ]);
    const end = (session_id: string) =>
      post({ hook_event_name: 'SessionEnd', session_id, cwd: box.project, reason: 'other' });
    await end('s1');
    expect(await reasonIn('s2')).toBe(`${pid} 4`);
    await end('s2');
    await waitUntil(() => !isAlive(Number(pid)));
  });
});

describe('the project of a session', () => {
  test('the project of a session is the folder of its first event, even after a restart', async () => {
    const box = relayBox();
    box.guard({ 'tool.before': 'pwd >&2; exit 2' });
    const inner = join(box.project, 'inner');
    mkdirSync(inner);
    const one = { session_id: 's1' };
    const first = await startServe(box);
    expect((await first.post(callIn(box.project, one))).answer).toEqual(denial(box.project));
    expect((await first.post(callIn(inner, one))).answer).toEqual(denial(box.project));
    first.running.kill('SIGTERM');
    await first.running;
    const { post } = await startServe(box);
    expect((await post(callIn(inner, one))).answer).toEqual(denial(box.project));
    expect((await post(callIn(inner, { session_id: 's2' }))).status).toBe(204);
  });

  test('serve denies a call that names no existing project folder (S-33)', async () => {
    const box = relayBox();
    const { post } = serve();
    writeFileSync(join(box.project, 'file'), '');
    const none = [undefined, 'relative', join(box.project, 'none'), join(box.project, 'file')];
    for (const cwd of none) {
      const { status, body } = await post(callIn(box.project, { cwd }));
      expect(status).toBe(200);
      expect(body).toContain('"permissionDecision":"deny"');
      expect(body).toContain('does not name an existing project folder');
    }
  });

  test('serve refuses another event that names no existing project folder', async () => {
    const { post } = serve();
    const given = { hook_event_name: 'SessionEnd', reason: 'exit', cwd: '/proc/none' };
    expect(await post(given)).toMatchObject({
      status: 400,
      body: expect.stringContaining('does not name an existing project folder') as unknown,
    });
  });
});
