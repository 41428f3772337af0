import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { anthropic, giveAnswer, startProvider, streamOf } from '../support/provider.ts';
import { hookmachine } from '../support/hookmachine.ts';
import { main } from '../support/main.ts';
import { hookAt } from '../support/own-hooks.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { waitUntil } from '../support/until.ts';
import { begin, enter } from '../watch/inspector/ask.ts';

/** An agent that asks its model once, prints the answer and ends with status 3. */
const agent = `
const { ANTHROPIC_BASE_URL: base } = process.env;
const body = ${JSON.stringify(JSON.stringify(anthropic.body('Use API_KEY=k-9f8e7d6c5b4a3210', { stream: true })))};
const answer = await fetch(base + '/v1/messages', { method: 'POST', body, headers: { 'x-api-key': 'sk-mine' } });
console.log(await answer.text());
process.exitCode = 3;`;

const run = (box: Sandbox, url: string, args: readonly string[]) =>
  execa('node', [main, 'gateway', ...args], {
    cwd: box.project,
    env: { ...box.env, HOOKMACHINE_TRUST: '1', ANTHROPIC_BASE_URL: url },
    reject: false,
  });

test('starts an agent with its provider’s address set, ends with its status, and says what was used', async () => {
  const provider = await startProvider(giveAnswer(anthropic, { texts: ['Hello'] }));
  const box = sandbox();
  box.write('project/agent.mjs', agent);
  const { exitCode, stdout, stderr } = await run(box, provider.url, ['--', 'node', 'agent.mjs']);
  expect(exitCode).toBe(3);
  expect(stdout.trim()).toBe(streamOf(anthropic, { texts: ['Hello'] }).trim());
  expect(stderr).toMatch(/^hookmachine: 1 model call: 160 tokens in \(50 of them cached\), 20 out, for \$0\.\d{4}$/); // prettier-ignore
  expect(provider.requests[0]?.headers['x-api-key']).toBe('sk-mine');
});

test('saves what was sent, without secrets, and nothing of keys', async () => {
  const provider = await startProvider(giveAnswer(anthropic, { texts: ['Hello'] }));
  const box = sandbox();
  box.write('project/agent.mjs', agent);
  box.write(box.own.project, { guards: { secrets: 'on' } });
  const args = ['--save', 'calls', '--record', 'run.jsonl', '--record-payloads', '--json', '--', 'node', 'agent.mjs']; // prettier-ignore
  const { stdout } = await run(box, provider.url, args);
  const folder = join(box.project, 'calls');
  expect(readdirSync(folder)).toEqual(['0001-answer.json', '0001-request.json']);
  const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  written.push(readFileSync(join(box.project, 'run.jsonl'), 'utf8'));
  expect(written.join('\n')).not.toMatch(/k-9f8e7d6c5b4a3210|sk-mine/);
  expect(JSON.parse(stdout.split('\n').at(-1)!)).toMatchObject({ usage: [{ input: 160 }] });
});

test.each([
  [['--provider', 'openai', '--', 'node'], '--provider openai: write NAME=URL'],
  [['--port', 'x'], '--port x: give a whole number'],
  [['--', 'no-such-agent'], 'no-such-agent cannot be started'],
  [['--inspect-wait', '--', 'node'], '--inspect-wait needs --inspect'],
])('says what is wrong with %j', async (args, message) => {
  const { exitCode, stderr } = await run(sandbox(), 'http://127.0.0.1:9', args);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test('stays until it is interrupted, and keeps its address', async () => {
  const provider = await startProvider(giveAnswer(anthropic, { texts: ['Hello'] }));
  const box = sandbox();
  const addresses: string[] = [];
  for (let start = 0; start < 2; start++) {
    const running = run(box, provider.url, ['--json']);
    const line = await new Promise<string>((resolve) => running.stdout.once('data', (data: Buffer) => resolve(data.toString()))); // prettier-ignore
    const { url } = JSON.parse(line) as { readonly url: string };
    addresses.push(url);
    const response = await fetch(`${url}/anthropic/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(anthropic.body('Hi')),
    });
    expect(response.status).toBe(200);
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(0);
  }
  expect(addresses[0]).toBe(addresses[1]);
});

test('records what its agent’s relay judges beside the model calls of the same session', async () => {
  const provider = await startProvider(giveAnswer(anthropic, { texts: ['Hello'] }));
  const box = sandbox();
  const event = { hook_event_name: 'PreToolUse', session_id: 's1', cwd: box.project, tool_name: 'Bash', tool_input: { command: 'ls' } }; // prettier-ignore
  box.write(
    'project/agent.mjs',
    `import { spawnSync } from 'node:child_process';
     const headers = { 'x-claude-code-session-id': 's1' };
     await (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', headers, body: ${JSON.stringify(JSON.stringify(anthropic.body('Hi')))} })).text();
     const { stdout } = spawnSync('node', [${JSON.stringify(main)}, 'relay', 'claude-code'], { input: ${JSON.stringify(JSON.stringify(event))} });
     process.stdout.write(stdout);`,
  );
  box.write(
    box.own.project,
    hookAt('tool.before', `cat > /dev/null; echo '{"decision":"deny","reason":"No."}'`),
  );
  const { stdout } = await run(box, provider.url, [
    '--record',
    'run.jsonl',
    '--',
    'node',
    'agent.mjs',
  ]);
  expect(stdout).toContain('"permissionDecision":"deny"');
  const started = readFileSync(join(box.project, 'run.jsonl'), 'utf8')
    .split('\n')
    .flatMap((line) => /"kind":"started".*"session":"(\w+)","machine":"(modelCall|hookEvent)"/.exec(line)?.slice(1).join(' ') ?? []); // prettier-ignore
  expect(started).toEqual(['s1 modelCall', 's1 hookEvent']);
});

test('a guard leaves results to a gateway that takes their secrets out, as long as that lives', async () => {
  const provider = await startProvider(giveAnswer(anthropic, { texts: ['Hello'] }));
  const box = sandbox();
  const event = { hook_event_name: 'PostToolUse', session_id: 's1', cwd: box.project, tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: { stdout: 'API_KEY=k-9f8e7d6c5b4a3210', stderr: '', interrupted: false } }; // prettier-ignore
  const relay = ['relay', 'claude-code'];
  box.write(
    'project/agent.mjs',
    `import { spawnSync } from 'node:child_process';
     const headers = { 'x-claude-code-session-id': 's1' };
     await (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', headers, body: ${JSON.stringify(JSON.stringify(anthropic.body('Hi')))} })).text();
     const { stdout } = spawnSync('node', [${JSON.stringify(main)}, ...${JSON.stringify(relay)}], { input: ${JSON.stringify(JSON.stringify(event))} });
     process.stdout.write('relay:' + stdout);`,
  );
  box.write(box.own.project, { guards: { secrets: 'on' } });
  const { stdout } = await run(box, provider.url, ['--', 'node', 'agent.mjs']);
  expect(stdout).toMatch(/^relay:(?:\{\})?\s*$/);
  const without = await hookmachine(box, relay, JSON.stringify(event));
  expect(without.stdout).toContain('[redacted]');
});

test('a gateway never asks itself', async () => {
  const box = sandbox();
  const own = `http://127.0.0.1:1/${'t'.repeat(40)}/anthropic`;
  const running = run(box, own, ['--json']);
  const line = await new Promise<string>((resolve) => running.stdout.once('data', (data: Buffer) => resolve(data.toString()))); // prettier-ignore
  expect(JSON.parse(line)).toMatchObject({ upstreams: { anthropic: 'https://api.anthropic.com' } });
  running.kill('SIGINT');
  await running;
});

const hasScript = existsSync('/usr/bin/script');

test.skipIf(!hasScript)('says nothing on the terminal while its agent draws on it', async () => {
  const provider = await startProvider(giveAnswer(anthropic, { texts: ['Hello'] }));
  const box = sandbox();
  box.write('project/agent.mjs', `${agent}\nconsole.log('the agent ends');`);
  box.write(box.own.project, { guards: { secrets: 'on' } });
  const line = `${process.execPath} ${JSON.stringify(main)} gateway -- node agent.mjs`;
  const { stdout } = await execa('script', ['-qec', line, '/dev/null'], {
    cwd: box.project,
    env: { ...box.env, HOOKMACHINE_TRUST: '1', ANTHROPIC_BASE_URL: provider.url },
    reject: false,
  });
  const [before = '', after = ''] = stdout.split('the agent ends');
  expect(before).not.toContain('hookmachine:');
  expect(after).toMatch(/1 more secret was replaced[^]*1 model call/);
});

test('shows what its agent’s relay judges beside the model calls, as it happens', async () => {
  const provider = await startProvider(giveAnswer(anthropic, { texts: ['Hello'] }));
  const box = sandbox();
  const event = { hook_event_name: 'PreToolUse', session_id: 's1', cwd: box.project, tool_name: 'Bash', tool_input: { command: 'ls' } }; // prettier-ignore
  box.write(
    'project/agent.mjs',
    `import { spawnSync } from 'node:child_process';
     import { existsSync } from 'node:fs';
     while (!existsSync('opened')) await new Promise((resolve) => setTimeout(resolve, 20));
     const headers = { 'x-claude-code-session-id': 's1' };
     await (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', headers, body: ${JSON.stringify(JSON.stringify(anthropic.body('Hi')))} })).text();
     spawnSync('node', [${JSON.stringify(main)}, 'relay', 'claude-code'], { input: ${JSON.stringify(JSON.stringify(event))} });`,
  );
  box.write(box.own.project, hookAt('tool.before', 'cat > /dev/null'));
  const running = run(box, provider.url, ['--inspect', '--', 'node', 'agent.mjs']);
  let said = '';
  running.stderr.on('data', (data: Buffer) => (said += data.toString()));
  await waitUntil(() => /http:\S+/.test(said));
  const { page, cookie } = await enter(/http:\S+/.exec(said)![0]);
  const { whole } = await begin(`${page}journal`, { headers: { cookie } });
  box.write('project/opened', '');
  const { body } = await whole;
  await running;
  const machines = [...body.matchAll(/"kind":"started"[^}]*"session":"(\w+)","machine":"(\w+)"/g)].map(([, ...found]) => found.join(' ')); // prettier-ignore
  expect(machines).toEqual(expect.arrayContaining(['s1 modelCall', 's1 hookEvent']));
});
