import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { hooks, ownServer, startMcp } from '../../support/mcp.ts';
import { main } from '../../support/main.ts';
import { project, runCommand } from '../../support/project.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { isAlive, untilWritten, waitUntil } from '../../support/until.ts';

const session = hooks({
  'session.start': 'cat > started',
  'session.end': 'cat > ended',
  'tool.after': 'touch after',
});

test('a connection is a session: SessionStart fires when it is initialized, SessionEnd when it ends', async () => {
  const { running, call, folder } = await startMcp({ files: session });
  await call(1, 'echo');
  const started = readFileSync(join(folder, 'started'), 'utf8');
  expect(started).toContain('"source":"startup"');
  expect(existsSync(join(folder, 'ended'))).toBe(false);
  running.stdin.end();
  expect((await running).exitCode).toBe(0);
  const ended = readFileSync(join(folder, 'ended'), 'utf8');
  expect(sessionIn(ended)).toBe(sessionIn(started));
});

const sessionIn = (text: string): unknown =>
  (JSON.parse(text) as { session_id: unknown }).session_id;

test('calls that are open when the client closes its output are answered', async () => {
  const { running, write, messages } = await startMcp({
    files: hooks({ 'tool.before': 'sleep 0.3' }),
  });
  write({ id: 1, method: 'tools/call', params: { name: 'echo' } });
  running.stdin.end();
  expect((await running).exitCode).toBe(0);
  expect(messages().at(-1)).toMatchObject({ id: 1, result: { content: [{ text: '{}' }] } });
});

test('a server that stays when its client is gone is ended', async () => {
  const pidFile = join(tempFolder(), 'pid');
  const { running, call, folder } = await startMcp({
    files: session,
    env: { STUBBORN: '1', PID: pidFile },
  });
  await call(1, 'echo');
  const pid = Number(await untilWritten(pidFile));
  running.stdin.end();
  await running;
  expect(isAlive(pid)).toBe(false);
  expect(existsSync(join(folder, 'ended'))).toBe(true);
});

test('a client that no longer reads ends the hooks and the server', async () => {
  const { running, write, folder } = await startMcp({
    files: hooks({ 'tool.before': 'echo $$ > begun; sleep 60' }),
  });
  write({ id: 1, method: 'tools/call', params: { name: 'echo' } });
  const pid = Number(await untilWritten(join(folder, 'begun')));
  running.stdout.destroy();
  write({ method: 'odd/bytes', params: { bytes: Buffer.from('{}\n').toString('base64') } });
  await running;
  expect(isAlive(pid)).toBe(false);
});

test('a signal ends the hooks, the server and the session', async () => {
  const { running, write, folder } = await startMcp({
    files: {
      ...hooks({ 'tool.before': 'echo $$ > begun; sleep 60', 'session.end': 'cat > ended' }),
    },
  });
  write({ id: 1, method: 'tools/call', params: { name: 'echo' } });
  const pid = Number(await untilWritten(join(folder, 'begun')));
  running.kill('SIGTERM');
  expect((await running).exitCode).toBe(143);
  expect(isAlive(pid)).toBe(false);
  expect(existsSync(join(folder, 'ended'))).toBe(true);
});

test('when the server dies, all open requests are answered, hooks see the failure, and the command exits with its status', async () => {
  const { running, write, messages, folder } = await startMcp({ files: session });
  write({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: { until: '/no' } } });
  write({ id: 2, method: 'unknown/method' });
  write({ id: 3, method: 'tools/call', params: { name: 'die' } });
  expect((await running).exitCode).toBe(7);
  const why = 'the MCP server ended (exit status 7)';
  const result = { content: [{ type: 'text', text: why }], isError: true };
  const answers = new Map(messages().map((message) => [message['id'], message]));
  expect(answers.get(1)).toMatchObject({ result });
  expect(answers.get(2)).toMatchObject({ error: { code: -32_000, message: why } });
  expect(answers.get(3)).toMatchObject({ result });
  expect(existsSync(join(folder, 'after'))).toBe(true);
  expect(existsSync(join(folder, 'ended'))).toBe(true);
});

test('when the server is killed, each request in flight is answered once, including one that hooks are still judging', async () => {
  const pidFile = join(tempFolder(), 'pid');
  const { running, call, write, messages, folder } = await startMcp({
    files: hooks({ 'tool.before ^judged$': 'touch begun; until test -e go; do sleep 0.02; done' }),
    env: { PID: pidFile },
  });
  await call(0, 'echo');
  const calls = Array.from({ length: 50 }, (_, index) => index + 1);
  for (const id of calls)
    write({ id, method: 'tools/call', params: { name: 'slow', arguments: { until: '/no' } } });
  write({ id: 'list', method: 'unknown/method' });
  write({ id: 'judged', method: 'tools/call', params: { name: 'judged' } });
  await waitUntil(() => existsSync(join(folder, 'begun')));
  process.kill(Number(await untilWritten(pidFile)), 'SIGKILL');
  await waitUntil(() => messages().some(({ id }) => id === 50));
  writeFileSync(join(folder, 'go'), '');
  expect((await running).exitCode).toBe(137);
  const answered = messages().map(({ id }) => id);
  for (const id of [...calls, 'list', 'judged'])
    expect(answered.filter((one) => one === id)).toHaveLength(1);
});

test('when the client is killed, the server still gets everything that it wrote, and then ends', async () => {
  const pidFile = join(tempFolder(), 'pid');
  const read = join(tempFolder(), 'read');
  const lines = [
    {
      id: 'hello',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {} },
    },
    { method: 'notifications/initialized' },
    ...Array.from({ length: 60 }, (_, id) =>
      id % 2 === 0
        ? { id, method: 'tools/call', params: { name: 'echo' } }
        : { method: 'odd', params: { id } },
    ),
  ].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));
  const program = `
    const { spawn } = require('node:child_process');
    const [, ...args] = process.argv;
    const proxy = spawn('node', args, { stdio: ['pipe', 'pipe', 'ignore'] });
    proxy.stdin.write(${JSON.stringify(`${lines.join('\n')}\n`)}, () => process.kill(process.pid, 'SIGKILL'));
  `;
  const client = await execa('node', ['-e', program, main, 'mcp', '--', 'node', ownServer], {
    cwd: project(hooks({ 'tool.before': 'sleep 0.1' })),
    env: { HOME: tempFolder(), HOOKMACHINE_TRUST: '1', READ: read, PID: pidFile },
    reject: false,
  });
  expect(client.signal).toBe('SIGKILL');
  const pid = Number(await untilWritten(pidFile));
  await waitUntil(() => !isAlive(pid));
  const got = readFileSync(read, 'utf8').split('\n').slice(0, -1);
  expect(got.toSorted()).toEqual(lines.toSorted());
});

test('the last output of a server is passed on', async () => {
  const { running, messages } = await startMcp({
    server: ['--', 'sh', '-c', `printf '{"jsonrpc":"2.0","method":"last"}\\n'; exit 3`],
    capabilities: 'none',
  });
  expect((await running).exitCode).toBe(3);
  expect(messages()).toEqual([{ jsonrpc: '2.0', method: 'last' }]);
});

test('the server inherits the environment and the stderr of the command', async () => {
  const { running, stderr, messages } = await startMcp({
    server: [
      '--',
      'sh',
      '-c',
      'echo "on stderr" >&2; echo "{\\"jsonrpc\\":\\"2.0\\",\\"x\\":\\"$HOME/$OWN\\"}"',
    ],
    env: { HOME: '/home/me', OWN: 'own' },
    capabilities: 'none',
  });
  await running;
  await waitUntil(() => stderr().includes('on stderr'));
  expect(messages()).toEqual([{ jsonrpc: '2.0', x: '/home/me/own' }]);
});

test.each([
  [['mcp'], 'which MCP server?'],
  [['mcp', '--url', 'https://a.example/mcp', '--', 'node', ownServer], 'which MCP server?'],
  [['mcp', '--url', 'a.example'], 'give the full address'],
  [['mcp', '--header', 'a: b', '--', 'node'], '--header needs --url'],
  [['mcp', '--url', 'https://a.example', '--header', 'a'], 'give it as "Name: value"'],
  [['mcp', '--', '/proc/no-such-program'], 'the MCP server cannot be started'],
])('hookmachine %j says what is wrong', async (args, why) => {
  const { exitCode, stderr } = await runCommand(args);
  expect(stderr).toContain(why);
  expect(exitCode).toBe(1);
});

test('hooks of a project that nobody trusts do not run, and stderr says so', async () => {
  const { call, stderr } = await startMcp({
    files: hooks({ 'tool.before': 'exit 2' }),
    env: { HOOKMACHINE_TRUST: '' },
  });
  expect(await call(1, 'echo')).not.toHaveProperty('isError');
  expect(stderr()).toContain('trust');
});
