import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookmachine } from '../../support/hookmachine.ts';
import { guards, relayBox } from '../../support/relay.ts';
import { callIn, keptIn, serveForAll, sessionIn, startServe } from '../../support/serve.ts';
import { isAlive, untilWritten, waitUntil } from '../../support/until.ts';
import { ask, begin, enter } from '../../watch/inspector/ask.ts';

const serve = serveForAll();

describe('serve refuses', () => {
  test.each([
    ['no token', { authorization: undefined }, 401, 'set HOOKMACHINE_TOKEN'],
    ['a wrong token', { authorization: 'Bearer nobody' }, 401, 'the token is missing or wrong'],
    [
      'an empty token, as from a variable that is not set',
      { authorization: 'Bearer ' },
      401,
      'token',
    ],
    ['another host name', { host: 'evil.example' }, 403, 'host name is not accepted'],
    ['the origin of another site', { origin: 'https://evil.example' }, 403, 'another site'],
  ])('serve refuses a request with %s', async (_, headers, status, why) => {
    const box = relayBox();
    box.guard({ 'tool.before': 'touch ran' });
    const { post } = serve();
    const answered = await post(callIn(box.project), { headers });
    expect(answered.status).toBe(status);
    expect(answered.body).toContain(why);
  });

  test.each([
    ['text', 'the body is not valid JSON'],
    ['', 'the body is empty'],
    ['[]', 'must hold one JSON object'],
    ['{}', 'the body does not name the event of Claude Code: post the event to /claude-code/'],
    ['{"hook_event_name":"PostToolUse"}', 'the body does not match PostToolUse'],
  ])('serve refuses the body %j, and says why', async (given, why) => {
    const { post, stderr } = serve();
    const { status, body } = await post(given);
    expect(status).toBe(400);
    expect(body.split('\n')).toEqual([expect.stringContaining(why), '']);
    await waitUntil(() => stderr().includes(why));
  });

  test.each([
    ['text', '/qwen-code/PreToolUse', 'the body is not valid JSON'],
    ['{"hook_event_name":"PreToolUse"', '/qwen-code', 'the body is not valid JSON'],
    ['{"hook_event_name":"PreToolUse"}', '/qwen-code', 'the body does not match PreToolUse'],
    [`{"hook_event_name":"PreToolUse","x":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, '/qwen-code', 'more than 1,000 levels deep'], // prettier-ignore
    [
      '{"hook_event_name":"PreToolUse","cwd":"/proc/no","tool_name":"Edit","tool_input":{}}',
      '/qwen-code',
      'does not name an existing project folder',
    ],
  ])(
    'serve denies with status 200 what it cannot judge (S-33): %.40s',
    async (given, path, why) => {
      const { post } = serve();
      const reason = expect.stringContaining(why) as unknown;
      expect(await post(given, { path })).toMatchObject({
        status: 200,
        answer: {
          decision: 'deny',
          reason,
          hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: reason },
        },
      });
    },
  );

  test('serve denies a tool call that is too large before it has come (S-34)', async () => {
    const { post } = serve();
    const headers = { 'content-length': String(2 ** 30) };
    const answered = await post('{"hook_event_name":"PreToolUse",', { headers });
    expect(answered).toMatchObject({
      status: 200,
      answer: {
        hookSpecificOutput: {
          permissionDecision: 'deny',
          permissionDecisionReason: expect.stringContaining('larger than 64 MiB') as unknown,
        },
      },
    });
  });

  test('serve refuses a body that is too large before it has come', async () => {
    const { post } = serve();
    const answered = await post('{}', { headers: { 'content-length': String(2 ** 30) } });
    expect(answered.status).toBe(413);
  });

  test('serve refuses hosts, paths and methods that it does not know', async () => {
    const box = relayBox();
    const { post } = serve();
    const given = callIn(box.project);
    expect(await post(given, { path: '/nobody' })).toMatchObject({
      status: 400,
      body: expect.stringContaining('there is no host "nobody"') as unknown,
    });
    expect(await post(given, { path: '/codex' })).toMatchObject({
      status: 400,
      body: expect.stringContaining('Codex has no HTTP hooks') as unknown,
    });
    expect(await post(given, { path: '/opencode/tool.execute.before' })).toMatchObject({
      status: 400,
      body: expect.stringContaining('OpenCode has no HTTP hooks') as unknown,
    });
    expect((await post(given, { path: '/' })).status).toBe(404);
    expect((await post(given, { path: '//evil.example/claude-code' })).status).toBe(404);
    expect((await post(given, { method: 'PUT' })).status).toBe(405);
  });

  test('serve refuses the token in a file that others can read', async () => {
    const box = relayBox();
    const { running, tokenFile } = await startServe(box);
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    running.kill('SIGTERM');
    await running;
    chmodSync(tokenFile, 0o644);
    const { exitCode, stderr } = await hookmachine(box, ['serve']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('may be known to others');
  });

  test('serve refuses a port that another serve has', async () => {
    const box = relayBox();
    await startServe(box);
    const { exitCode, stderr } = await hookmachine(box, ['serve']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is another hookmachine serve running?');
  });
});

test('serve listens on this machine only, and keeps its port and token for the next start', async () => {
  const box = relayBox();
  const first = await startServe(box);
  expect(new URL(first.url).hostname).toBe('127.0.0.1');
  expect(first.url).toContain(readFileSync(keptIn(box.home, 'port'), 'utf8').trim());
  first.running.kill('SIGTERM');
  await first.running;
  const second = await startServe(box);
  expect([second.url, second.token]).toEqual([first.url, first.token]);
});

test('serve shows the calls in the inspector to anyone who has the token', async () => {
  const box = relayBox();
  box.guard({ 'tool.before': guards.deny });
  const { post, url, token, running } = await startServe(box);
  await post(callIn(box.project));
  expect((await ask(url)).status).toBe(403);
  const { page, cookie } = await enter(`${url}/?token=${token}`);
  const { whole } = await begin(`${page}journal`, { headers: { cookie } });
  running.kill('SIGTERM');
  const { body } = await whole;
  expect(body).toContain(`"${sessionIn(box.project)}"`);
  expect(body).toContain('not here');
});

test('serve ends even if a host has sent only a part of its event', async () => {
  const { url, token, running } = await startServe(relayBox());
  const sent = request(`${url}/claude-code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-length': 100, expect: '100-continue' },
  });
  sent.on('error', () => undefined);
  const answered = new Promise((resolve) =>
    sent.once('response', ({ statusCode }) => resolve(statusCode)),
  );
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write('{');
  running.kill('SIGTERM');
  expect(await answered).toBe(503);
  expect((await running).exitCode).toBe(0);
});

/** Guards with a hook that never ends; returns the file that the hook writes its process id to. */
const hanging = (box: ReturnType<typeof relayBox>): string => {
  const file = join(box.project, 'pid');
  box.guard({
    'tool.before': `echo $$ > "${file}.new"; mv "${file}.new" "${file}"; while :; do sleep 0.1; done`,
  });
  return file;
};

test('serve answers its hosts although something threw where nobody waits for it (S-33)', async () => {
  const box = relayBox();
  box.guard({ 'tool.before': guards.deny });
  const fault = box.write(
    'fault.cjs',
    `if (process.argv[2] === 'serve')
       setInterval(() => {
         if (process.listenerCount('uncaughtException') > 0) throw new TypeError('boom');
       }, 50);`,
  );
  const { post, stderr } = await startServe(box, [], { NODE_OPTIONS: `--require "${fault}"` });
  await waitUntil(() => stderr().includes('something failed, and serve continues: boom'));
  expect((await post(callIn(box.project))).body).toContain('"permissionDecision":"deny"');
});

describe('a hook that hangs', () => {
  test('a hook that hangs ends when its host no longer waits', async () => {
    const box = relayBox();
    const file = hanging(box);
    const { url, token } = await startServe(box);
    const abort = new AbortController();
    const answered = fetch(`${url}/claude-code`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(callIn(box.project)),
      signal: abort.signal,
    }).catch(() => 'aborted');
    const pid = Number(await untilWritten(file));
    abort.abort();
    expect(await answered).toBe('aborted');
    await waitUntil(() => !isAlive(pid));
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'a hook that hangs ends with serve at %s, which denies what was not judged (S-33)',
    async (signal) => {
      const box = relayBox();
      const file = hanging(box);
      const { post, running } = await startServe(box);
      const answered = post(callIn(box.project));
      const pid = Number(await untilWritten(file));
      running.kill(signal);
      expect(await answered).toMatchObject({
        status: 200,
        answer: {
          hookSpecificOutput: {
            permissionDecision: 'deny',
            permissionDecisionReason: 'hookmachine could not judge this: hookmachine serve ends',
          },
        },
      });
      expect((await running).exitCode).toBe(0);
      expect(isAlive(pid)).toBe(false);
    },
  );

  test('a hook that hangs and ignores SIGTERM ends with serve too', async () => {
    const box = relayBox();
    const file = join(box.project, 'pid');
    writeFileSync(
      join(box.project, 'deaf.sh'),
      `trap '' TERM\necho $$ > "${file}.new"; mv "${file}.new" "${file}"; while :; do sleep 0.1; done`,
    );
    box.guard({ 'tool.before': 'exec sh deaf.sh' });
    const { post, running } = await startServe(box);
    const answered = post(callIn(box.project)).catch(() => undefined);
    const pid = Number(await untilWritten(file));
    running.kill('SIGTERM');
    await answered;
    expect((await running).exitCode).toBe(0);
    await waitUntil(() => !isAlive(pid));
  });
});
