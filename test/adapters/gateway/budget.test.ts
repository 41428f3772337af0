import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { dayOf, readDay } from '../../../src/guards/budget/ledger.ts';
import { gatewayTo } from '../../support/gateway.ts';
import { hookmachine } from '../../support/hookmachine.ts';
import { giveAnswer, providerFormats, startProvider } from '../../support/provider.ts';
import { sandbox } from '../../support/sandbox.ts';

const said = { texts: ['Hello'] };

describe.each(Object.entries(providerFormats))('the gateway to %s', (name, format) => {
  test.each([true, false])('knows what a call used, with stream: %s', async (stream) => {
    const provider = await startProvider(giveAnswer(format, said));
    const { ask, used } = await gatewayTo(provider);
    await ask(format, 'Hi', { stream });
    const model = { anthropic: 'claude-opus-4-5', chat: 'gpt-5', responses: 'gpt-5', gemini: 'gemini-2.5-flash' }[name]; // prettier-ignore
    expect(used).toMatchObject([{ model, input: 160, output: 20, cached: 50, via: 'gateway' }]);
    expect(used[0]!.usd).toBeGreaterThan(0);
    expect(readDay().entries).toMatchObject([{ input: 160, output: 20 }]);
  });

  test('ends calls once a budget is used up, in the provider’s form, and says so', async () => {
    const provider = await startProvider(giveAnswer(format, said));
    const { ask } = await gatewayTo(provider, { budget: { session: 300 } });
    const texts = [];
    for (let calls = 0; calls < 4; calls++)
      texts.push((await ask(format, 'Hi', { stream: true })).read().text);
    expect(texts.slice(0, 2)).toEqual(['Hello', 'Hello']);
    expect(texts[2]).toMatch(/budget of 300 tokens for this session is used up \(3\d\d tokens\)/);
    expect(provider.requests).toHaveLength(2);
  });
});

const chat = providerFormats['chat']!;

test('counts money, by known prices and by those of the settings', async () => {
  const provider = await startProvider(giveAnswer(chat, said));
  const settings = { budget: { day: '$1', prices: { 'gpt-*': { input: 5_000, output: 10_000 } } } };
  const { ask, used } = await gatewayTo(provider, settings);
  await ask(chat, 'Hi');
  // 160 tokens in and 20 out.
  expect(used[0]!.usd).toBeCloseTo(0.8 + 0.2);
  const { read } = await ask(chat, 'Hi');
  expect(read().text).toContain('The budget of $1.00 for today is used up ($1.00)');
});

test('counts models by pattern, and leaves the others', async () => {
  const provider = await startProvider(
    (response, request) =>
    giveAnswer(request.body.includes('messages') && request.url.includes('chat') ? chat : providerFormats['anthropic']!, said)(response, request), // prettier-ignore
  );
  const { ask } = await gatewayTo(provider, { budget: { perModel: { 'claude-opus-*': 100 } } });
  const anthropic = providerFormats['anthropic']!;
  expect((await ask(anthropic, 'Hi')).read().text).toBe('Hello');
  expect((await ask(anthropic, 'Hi')).read().text).toContain('claude-opus-* today is used up');
  expect((await ask(chat, 'Hi')).read().text).toBe('Hello');
});

test('warns once when a budget is nearly used up, and goes on if it only warns', async () => {
  const provider = await startProvider(giveAnswer(chat, said));
  const { ask, warnings } = await gatewayTo(provider, { budget: { session: 400, over: 'warn' } });
  for (let calls = 0; calls < 5; calls++) expect((await ask(chat, 'Hi')).read().text).toBe('Hello');
  expect(warnings.filter((line) => line.includes('360 tokens of the budget'))).toHaveLength(1);
  expect(warnings.filter((line) => line.includes('of the budget of 400'))).toHaveLength(2);
});

test.each([
  ['a typo', { sesion: 100 }, 'has no effect'],
  ['an amount that is none', { day: 'much' }, 'nothing may be used'],
  ['something that is no object', '$5', 'nothing may be used'],
])('reports %s with its place', async (_, budget, expected) => {
  const provider = await startProvider(giveAnswer(chat, said));
  const { ask, warnings } = await gatewayTo(provider, { budget });
  const { read } = await ask(chat, 'Hi');
  expect(warnings.join('\n')).toMatch(/settings\.json:\d+:\d+/);
  if (expected === 'nothing may be used') {
    expect(warnings.join('\n')).toContain(expected);
    expect(read().text).toContain('is used up');
  }
});

test('several processes share a budget: together they make no call more than it allows', async () => {
  const provider = await startProvider(async (response, request) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    await giveAnswer(chat, said)(response, request);
  });
  const box = sandbox();
  box.write(box.own.user, { budget: { day: 1_000 } });
  const script = `
    import { expectSettlement, judgeModelCall, settle } from ${JSON.stringify(join(import.meta.dirname, '../../../src/guards/budget/judge-budget.ts'))};
    const budget = { limits: [{ per: 'day', amount: { of: 'tokens', value: 1000 }, warnAt: 1, over: 'stop' }], prices: {} };
    const session = String(process.pid);
    expectSettlement();
    let made = 0;
    for (;;) {
      const answer = await judgeModelCall({ session_id: session, llm_request: { model: 'gpt-5', messages: 'x'.repeat(600) } }, budget);
      if (answer?.decision === 'deny') break;
      made += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      await settle({ session, model: 'gpt-5', input: 150, output: 10 }, {});
    }
    console.log(made);`;
  box.write('race.mts', script);
  const runs = await Promise.all(
    Array.from(
      { length: 8 },
      () =>
      execa(process.execPath, ['--import', 'tsx', join(box.folder, 'race.mts')], { env: box.env, cwd: join(import.meta.dirname, '../../..') }), // prettier-ignore
    ),
  );
  const made = runs.reduce((sum, { stdout }) => sum + Number(stdout), 0);
  // Each uses 160 tokens, of which 155 were reserved before: the seventh call crosses the limit.
  expect(made).toBe(7);
  expect(readDay().entries).toHaveLength(7);
  expect(provider.requests).toEqual([]);
});

const transcriptLine = (id: string): string =>
  `${JSON.stringify({ type: 'assistant', timestamp: new Date().toISOString(), message: { id, model: 'claude-opus-4-5', usage: { input_tokens: 50, cache_read_input_tokens: 100, output_tokens: 50 } } })}\n`; // prettier-ignore

test('a tool call of an agent without gateway is judged by what its transcript tells', async () => {
  const box = sandbox();
  box.write(box.own.user, { budget: { session: 500 } });
  const transcript = join(box.home, 'transcript.jsonl');
  mkdirSync(box.home, { recursive: true });
  const relay = async (): Promise<string> => {
    const event = { hook_event_name: 'PreToolUse', session_id: 's1', cwd: box.project, transcript_path: transcript, tool_name: 'Bash', tool_input: { command: 'ls' } }; // prettier-ignore
    return (await hookmachine(box, ['relay', 'claude-code'], JSON.stringify(event))).stdout;
  };
  // A message is told once for each of its parts.
  writeFileSync(transcript, transcriptLine('m1') + transcriptLine('m1') + transcriptLine('m2'));
  expect(await relay()).not.toContain('deny');
  writeFileSync(
    transcript,
    transcriptLine('m1') + transcriptLine('m1') + transcriptLine('m2') + transcriptLine('m3'),
  );
  expect(await relay()).toContain(
    'The budget of 500 tokens for this session is used up (600 tokens)',
  );
  const { stdout } = await hookmachine(box, ['usage', '--by', 'session', '--json']);
  expect(JSON.parse(stdout)).toHaveLength(3);
});

test('usage shows days, models and sessions', async () => {
  const box = sandbox();
  const { stdout: nothing } = await hookmachine(box, ['usage']);
  expect(nothing).toContain('No model calls are known');
  const folder = join(box.home, '.local/state/hookmachine/usage');
  mkdirSync(folder, { recursive: true });
  const entry = { at: new Date().toISOString(), id: 'a', session: 's', model: 'gpt-5', input: 1_000, output: 10, usd: 0.5 }; // prettier-ignore
  writeFileSync(join(folder, `${dayOf(new Date())}.jsonl`), `${JSON.stringify(entry)}\n{"torn`);
  const { stdout } = await hookmachine(box, ['usage', '--by', 'model']);
  expect(stdout).toBe('gpt-5: 1 model call: 1,000 tokens in, 10 out, for $0.5000');
});

test('says that a price is not known, once', async () => {
  const provider = await startProvider((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...chat.whole(said), model: 'nobodys-model' }));
  });
  const { ask, warnings } = await gatewayTo(provider, { budget: { day: '$5' } });
  for (let calls = 0; calls < 2; calls++) await ask(chat, 'Hi');
  const about = warnings.filter((line) => line.includes('the price of nobodys-model is not known'));
  expect(about).toHaveLength(1);
});

test('a session that began yesterday goes on with what it had used', async () => {
  const provider = await startProvider(giveAnswer(chat, said));
  const box = await gatewayTo(provider, { budget: { session: 1_000 } });
  const folder = join(box.home, '.local/state/hookmachine/usage');
  mkdirSync(folder, { recursive: true });
  const yesterday = new Date(Date.now() - 24 * 60 * 60_000);
  const entry = { at: yesterday.toISOString(), id: 'a', session: 's9', model: 'gpt-5', input: 2_000, output: 10 }; // prettier-ignore
  writeFileSync(join(folder, `${dayOf(yesterday)}.jsonl`), `${JSON.stringify(entry)}\n`);
  const asked = (session: string) => box.ask(chat, 'Hi', { headers: { 'x-session-id': session } });
  expect((await asked('s9')).read().text).toContain('is used up');
  expect((await asked('s8')).read().text).toBe('Hello');
});

const at = (second: number): string => new Date(Date.now() - second * 1_000).toISOString();

test('the transcripts of Codex tell what was used, and by which model', async () => {
  const box = sandbox();
  box.write(box.own.user, { budget: { perModel: { 'gpt-*': 500 } } });
  const transcript = join(box.home, 'rollout.jsonl');
  const used = (second: number) => ({ timestamp: at(second), type: 'event_msg', payload: { type: 'token_count', info: { last_token_usage: { input_tokens: 200, cached_input_tokens: 100, output_tokens: 60, reasoning_output_tokens: 10, total_tokens: 260 } } } }); // prettier-ignore
  const lines = [{ timestamp: at(9), type: 'turn_context', payload: { model: 'gpt-5' } }, used(8)];
  const relay = async (): Promise<string> => {
    writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const event = { hook_event_name: 'PreToolUse', session_id: 's1', turn_id: 't', cwd: box.project, transcript_path: transcript, model: 'gpt-5', permission_mode: 'default', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'c' }; // prettier-ignore
    return (await hookmachine(box, ['relay', 'codex'], JSON.stringify(event))).stdout;
  };
  expect(await relay()).not.toContain('deny');
  lines.push(used(7));
  expect(await relay()).toContain(
    'The budget of 500 tokens for gpt-* today is used up (520 tokens)',
  );
});

test('a transcript that is a pipe keeps nobody waiting', async () => {
  const box = sandbox();
  box.write(box.own.user, { budget: { session: 500 } });
  const pipe = join(box.home, 'pipe');
  await execa('mkfifo', [pipe]);
  const event = { hook_event_name: 'PreToolUse', session_id: 's1', cwd: box.project, transcript_path: pipe, tool_name: 'Bash', tool_input: { command: 'ls' } }; // prettier-ignore
  const { exitCode, stdout } = await hookmachine(box, ['relay', 'claude-code'], JSON.stringify(event)); // prettier-ignore
  expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining('deny')]);
});
