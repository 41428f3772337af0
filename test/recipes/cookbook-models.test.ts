import { execFileSync } from 'node:child_process';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { kinds, last, shown } from '../support/chat.ts';
import { recipe, statuses, toolResults } from './recipe.ts';

describe('recipe 4, PII redaction (HOOK-046, 173, C-87)', () => {
  const personal = 'Jane: 123-45-6789, 4111 1111 1111 1111, jane@example.com, (555) 123-4567.';
  const redacted = 'Jane: [SSN REDACTED], [CARD REDACTED], [EMAIL REDACTED], [PHONE REDACTED].';

  test('recipe 4: the user reads, and the conversation keeps, what the hook left', async () => {
    const { session } = recipe({ fixture: '04-pii-redaction' });
    const { run, chat, requests } = session([{ text: personal }, { text: 'All clean.' }]);
    const events = await run();
    expect(shown(events)).toBe(redacted);
    expect(last(events)).toMatchObject({ type: 'finalAnswer', text: redacted });
    expect(chat.history[1]).toEqual({ role: 'model', parts: [{ text: redacted }] });
    expect(shown(await run('And now?'))).toBe('All clean.');
    expect(JSON.stringify(requests[1])).not.toContain('6789');
  });

  test('recipe 4: live display shows what streams, but what is kept is redacted all the same', async () => {
    const { session } = recipe({ fixture: '04-pii-redaction' });
    const { run, chat } = session([{ text: personal }], { display: 'live' });
    expect(shown(await run())).toBe(personal);
    expect(chat.history[1]).toEqual({ role: 'model', parts: [{ text: redacted }] });
  });
});

test('recipe 9, git context: the model knows the branch at every step, the conversation does not (HOOK-039, C-75 to C-77, G-11)', async () => {
  const { session, put, project } = recipe({ fixture: '09-git-context' });
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'topic'], { cwd: project });
  put('src/a.txt', 'text');
  const { run, chat, requests } = session(
    [{ calls: [{ name: 'read_file', args: { file_path: 'src/a.txt' } }] }, { text: 'Read.' }],
    { systemInstruction: 'Be brief.' },
  );
  await run('Read it.');
  const context = 'Be brief.\n\nGit branch: topic\nChanged files:\n?? src/';
  expect(requests.map(({ config }) => config?.systemInstruction)).toEqual([context, context]);
  expect(requests[1]?.contents).toEqual(chat.history.slice(0, 3));
  expect(JSON.stringify(chat.history)).not.toContain('Git branch');
});

test('recipe 9, git context: outside a git repository nothing is added', async () => {
  const { session, project } = recipe({ fixture: '09-git-context' });
  vi.stubEnv('GIT_CEILING_DIRECTORIES', join(project, '..'));
  const { run, requests } = session([{ text: 'Hello.' }], { systemInstruction: 'Be brief.' });
  await run();
  expect(requests[0]?.config?.systemInstruction).toBe('Be brief.');
});

describe('recipe 10, read-only (HOOK-055 to 057, 192, C-88, R-13)', () => {
  test('recipe 10: tools that write are refused, whatever the model wants, and tools that read run', async () => {
    const { session, put, has } = recipe({ fixture: '10-read-only' });
    put('a.txt', 'text');
    const { run, chat, requests } = session([
      {
        calls: [
          { name: 'write_file', args: { file_path: 'b.txt', content: 'x' } },
          { name: 'run_shell_command', args: { command: 'touch c.txt' } },
          { name: 'read_file', args: { file_path: 'a.txt' } },
        ],
      },
      { text: 'Only read.' },
    ]);
    const events = await run();
    expect(statuses(events)).toEqual(['refused', 'refused', 'done']);
    expect([has('b.txt'), has('c.txt')]).toEqual([false, false]);
    expect(toolResults(chat.history)[0]).toContain('not among the tools that may be called now');
    expect(toolResults(chat.history)[2]).toContain('text');
    const { functionCallingConfig: sent } = requests[0]?.config?.toolConfig ?? {};
    expect(sent?.mode).toBe('ANY');
    expect(sent?.allowedFunctionNames).toHaveLength(8);
    expect(sent?.allowedFunctionNames).toEqual(sent?.allowedFunctionNames?.toSorted());
  });

  test('recipe 10: a request of megabytes that the hook never reads does no harm', async () => {
    const { session } = recipe({ fixture: '10-read-only' });
    const { run, requests, warnings } = session([{ text: 'Read.' }]);
    await run('x'.repeat(3_000_000));
    expect(requests[0]?.config?.toolConfig?.functionCallingConfig?.mode).toBe('ANY');
    expect(warnings).toEqual([]);
  });
});

test('recipe 11, cost control: over the limit the model is not called, and a stand-in answers (HOOK-036, 042, C-73)', async () => {
  const { session, read, has } = recipe({ fixture: '11-cost-control' });
  vi.stubEnv('LLXPRT_MAX_MODEL_CALLS', '2');
  const { run, chat, requests, warnings, config } = session([{ text: 'One.' }, { text: 'Two.' }]);
  expect([shown(await run()), shown(await run())]).toEqual(['One.', 'Two.']);
  const events = await run();
  expect(requests.length).toBe(2);
  expect(last(events)).toMatchObject({ text: 'The limit of 2 model calls is reached.' });
  expect(shown(events)).toBe('The limit of 2 model calls is reached.');
  expect(chat.history.at(-1)?.parts).toEqual([{ text: 'The limit of 2 model calls is reached.' }]);
  expect(warnings).toEqual([]);
  expect(requests.map(({ config: sent }) => sent?.systemInstruction)).toEqual([
    undefined,
    undefined,
  ]);
  expect(read(`.llxprt/model-calls-${config.getSessionId()}`)).toBe('3');

  const other = session([{ text: 'Again.' }], { config: { sessionId: 'another' } });
  expect(shown(await other.run())).toBe('Again.');
  expect(has('.llxprt/model-calls-another')).toBe(true);
});

describe('recipe 12, response cache (HOOK-036, C-84, C-85)', () => {
  test('recipe 12: the same question is answered without the model, and a hit does not renew the cache', async () => {
    const { session, project } = recipe({ fixture: '12-response-cache' });
    const first = session([{ text: 'Forty-two.' }]);
    expect(shown(await first.run('What is it?'))).toBe('Forty-two.');

    const second = session([]);
    const events = await second.run('What is it?');
    expect(shown(events)).toBe('Forty-two.');
    expect(second.requests).toEqual([]);
    expect(kinds(events)).toEqual(['BeforeModel', 'text', 'finalAnswer']);

    const third = session([{ text: 'Something else.' }]);
    expect(shown(await third.run('What else?'))).toBe('Something else.');

    const cache = join(project, '.llxprt', 'cache');
    const old = new Date(Date.now() - 2 * 3_600_000);
    expect(readdirSync(cache).length).toBe(2);
    for (const file of readdirSync(cache)) utimesSync(join(cache, file), old, old);
    const later = session([{ text: 'Forty-three.' }]);
    expect(shown(await later.run('What is it?'))).toBe('Forty-three.');
  });

  test('recipe 12: both hooks see the same messages in a conversation with tools', async () => {
    const { session, put } = recipe({ fixture: '12-response-cache' });
    put('a.txt', 'text');
    const turns = [
      { text: 'I look.', calls: [{ name: 'read_file', args: { file_path: 'a.txt' } }] },
      { text: 'It says text.' },
    ];
    expect(shown(await session(turns).run('Read.'))).toContain('It says text.');
    const again = session([]);
    // A cached answer is text only, so the call of the first step is not made again.
    expect(shown(await again.run('Read.'))).toBe('I look.');
    expect(again.requests).toEqual([]);
  });
});

describe('recipe 17, sequential chain (HOOK-104 to 106, 216, C-42)', () => {
  const history = ['u1', 'm1', 'u2', 'm2'].map((text) => ({
    role: text.startsWith('u') ? 'user' : 'model',
    parts: [{ text }],
  }));

  test('recipe 17: the second hook sees the first’s message, which is sent if the second changes nothing', async () => {
    const { session, read } = recipe({ fixture: '17-sequential-chain' });
    const { run, requests, chat } = session([{ text: 'Yes.' }], { history });
    await run('u3');
    expect(JSON.parse(read('.llxprt/trim-saw.json'))).toMatchObject([
      ...history.map(({ role, parts }) => ({ role, content: parts[0]!.text })),
      { role: 'user', content: 'u3' },
      { role: 'system', content: 'House rules: tabs, never spaces.' },
    ]);
    expect(requests[0]?.contents).toEqual(chat.history.slice(0, -1));
    expect(requests[0]?.config?.systemInstruction).toBe('House rules: tabs, never spaces.');
  });

  test('recipe 17: the second hook trims what the first made longer', async () => {
    const { session } = recipe({ fixture: '17-sequential-chain' });
    vi.stubEnv('LLXPRT_MAX_MESSAGES', '3');
    const { run, requests, chat } = session([{ text: 'Yes.' }], { history });
    await run('u3');
    expect(requests[0]?.contents.map(({ parts }) => parts?.[0]?.text)).toEqual(['u1', 'u3']);
    expect(requests[0]?.config?.systemInstruction).toBe('House rules: tabs, never spaces.');
    expect(chat.history.length).toBe(6);
  });
});

describe('recipe 18, multimodal caveat (HOOK-046, 079, C-75)', () => {
  test('recipe 18: an answer with only tool calls survives, and a text gets its footer', async () => {
    const { session, has } = recipe({ fixture: '18-multimodal' });
    const { run, warnings } = session([
      { calls: [{ name: 'write_file', args: { file_path: 'a.txt', content: 'x' } }] },
      { text: 'Written.', finishReason: 'MAX_TOKENS' },
    ]);
    const events = await run();
    expect(has('a.txt')).toBe(true);
    expect(shown(events)).toBe('Written.\n\n-- checked by a machine');
    expect(warnings).toEqual([]);
  });

  test('recipe 18: a response without candidates stays as it is', async () => {
    const { session } = recipe({ fixture: '18-multimodal' });
    const { fire } = session();
    const { finalOutput, success } = await fire('AfterModel', {
      llm_request: { model: 'm', messages: [] },
      llm_response: { candidates: [] },
    });
    expect(success).toBe(true);
    expect(finalOutput?.hookSpecificOutput).toBeUndefined();
  });

  test('recipe 18: an answer with another finish reason has no footer', async () => {
    const { session } = recipe({ fixture: '18-multimodal' });
    const { run } = session([{ text: 'No.', finishReason: 'SAFETY' }]);
    expect(shown(await run())).toBe('No.');
  });
});
