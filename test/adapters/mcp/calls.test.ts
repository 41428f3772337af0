import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hooks, says, startMcp, texts } from '../../support/mcp.ts';

const replace = (text: string) =>
  says({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: text } });

const claude = (text: string) => ({
  '.claude/settings.json': {
    hooks: { PostToolUse: [{ hooks: [{ type: 'command', command: replace(text) }] }] },
  },
});

const request = (id: number, args: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":${args}}}`;

const deny = 'echo "not here" >&2; exit 2';

test('a tool call that a hook denies gets the reason as its result, and the server never gets the call', async () => {
  const { answerTo, call, serverRead, write } = await startMcp({
    files: hooks({ 'tool.before echo': deny }),
  });
  expect(await call(1, 'echo', { a: 1 })).toEqual({
    content: [{ type: 'text', text: 'not here' }],
    isError: true,
  });
  expect(texts(await call(2, 'structured'))).toEqual(['{"key":"k-1"}']);
  // The same if it contains a number that JSON does not have, follows a byte order mark, or comes in a batch.
  write(`${request(3, '{"a":NaN}')}\n`);
  write(`\uFEFF${request(6, '{}')}\n`);
  write(`[${request(4, '{}')}, {"jsonrpc":"2.0","id":5,"method":"ping"}]\n`);
  expect(await answerTo(3)).toMatchObject({ result: { isError: true } });
  expect(await answerTo(6)).toMatchObject({ result: { isError: true } });
  expect(await answerTo(4)).toMatchObject({ result: { isError: true } });
  await expect.poll(() => serverRead().at(-1)).toBe('{"jsonrpc":"2.0","id":5,"method":"ping"}');
  expect(serverRead().some((line) => line.includes('"echo"'))).toBe(false);
});

test('the server gets the arguments that a hook wrote, and the rest of the call as it was sent', async () => {
  const rewrite = says({ hookSpecificOutput: { tool_input: { a: 2 } } });
  const { call, write, answerTo, serverRead } = await startMcp({
    files: hooks({ 'tool.before': rewrite }),
  });
  const sent =
    '{"id" : 12345678901234567890,"jsonrpc":"2.0","method":"tools/call","params":{"_meta":{"progressToken":1.0},"arguments":{"a":1,"b":1.50},"name":"echo"}}';
  write(`${sent}\n`);
  await answerTo(Number('12345678901234567890'));
  expect(serverRead().at(-1)).toBe(sent.replace('{"a":1,"b":1.50}', '{"a":2,"b":1.5}'));
  // They are added to a call without arguments.
  expect(texts(await call(1, 'echo'))).toEqual(['{"a":2}']);
});

test('context becomes one more text of a result or an error; structured content and the error flag stay', async () => {
  const context = says({ hookSpecificOutput: { additionalContext: 'by the way' } });
  const { answerTo, call, write } = await startMcp({ files: hooks({ 'tool.after': context }) });
  expect(await call(1, 'structured')).toEqual({
    content: [
      { type: 'text', text: '{"key":"k-1"}' },
      { type: 'text', text: 'by the way' },
    ],
    structuredContent: { key: 'k-1' },
  });
  expect(await call(2, 'fail')).toMatchObject({ isError: true });
  expect(texts(await call(3, 'both'))).toEqual(['one', undefined, 'by the way']);
  write({ id: 4, method: 'tools/call', params: { name: 'refuse' } });
  expect((await answerTo(4))['error']).toEqual({
    code: -32_602,
    message: 'no such tool\n\nby the way',
  });
});

test('hooks see the output of a tool, and the error of a tool that failed', async () => {
  const { call, folder } = await startMcp({
    files: hooks({ 'tool.after': 'cat >> after', 'tool.failed': 'cat > failed' }),
  });
  await call(1, 'structured');
  await call(2, 'fail');
  const seen = readFileSync(join(folder, 'after'), 'utf8');
  expect(seen).toContain('"llmContent":"{\\"key\\":\\"k-1\\"}"');
  expect(seen).toContain('"metadata":{"structuredContent":{"key":"k-1"}}');
  expect(readFileSync(join(folder, 'failed'), 'utf8')).toContain('"error":"it broke"');
});

test('a replaced result contains nothing of what the hook hides, not even structured content', async () => {
  const hidden = await startMcp({ files: claude('hidden') });
  expect(await hidden.call(1, 'structured')).toEqual({
    content: [{ type: 'text', text: 'hidden' }],
  });
  const changed = await startMcp({ files: claude('{"key":"*"}') });
  expect(await changed.call(1, 'structured')).toMatchObject({ structuredContent: { key: '*' } });
});

test('after a stop, each later call of the connection gets the reason as its result', async () => {
  const stop = says({ continue: false, stopReason: 'enough' });
  const { call } = await startMcp({ files: hooks({ 'tool.before fail': stop }) });
  expect(texts(await call(1, 'echo'))).toEqual(['{}']);
  for (const [id, name] of [
    [2, 'fail'],
    [3, 'echo'],
  ] as const)
    expect(await call(id, name)).toEqual({
      content: [{ type: 'text', text: 'enough' }],
      isError: true,
    });
});

test('a stop after the tool keeps the result and adds the reason', async () => {
  const stop = says({ continue: false, stopReason: 'enough' });
  const { call } = await startMcp({ files: hooks({ 'tool.after': stop }) });
  expect(texts(await call(1, 'echo'))).toEqual(['{}', '[System] enough']);
  expect(await call(2, 'echo')).toMatchObject({ isError: true });
});

test('with --server, hooks know the tools as mcp__NAME__tool', async () => {
  const { call, folder } = await startMcp({
    args: ['--server', 'files'],
    files: hooks({ 'tool.before ^mcp__files__echo$': 'cat > seen; exit 2' }),
  });
  expect(await call(1, 'echo')).toMatchObject({ isError: true });
  expect(readFileSync(join(folder, 'seen'), 'utf8')).toContain('"tool_name":"mcp__files__echo"');
});

test('a call whose arguments are not an object never reaches the server', async () => {
  const { call, serverRead } = await startMcp();
  expect(await call(1, 'echo', ['a'])).toMatchObject({ isError: true });
  expect(serverRead().some((line) => line.includes('tools/call'))).toBe(false);
});

test('a second answer to a call does not bypass the hooks that look at the first one', async () => {
  const { call, messages } = await startMcp({ files: hooks({ 'tool.after': 'sleep 0.2' }) });
  expect(texts(await call(1, 'twice'))).toEqual(['first']);
  await call(2, 'echo');
  expect(messages().filter(({ id }) => String(id) === '1')).toHaveLength(1);
});

test('a hook that fails is reported on stderr, and the call continues', async () => {
  const { call, stderr, bytes } = await startMcp({
    files: hooks({ 'tool.before': 'echo oops; exit 1' }),
  });
  expect(texts(await call(1, 'echo'))).toEqual(['{}']);
  expect(stderr()).toContain('failed and was ignored');
  expect(bytes().toString()).not.toContain('oops');
});

test('calls run in parallel, and their answers overtake each other', async () => {
  const { write, call, answerTo, folder } = await startMcp({
    files: hooks({ 'tool.before': 'true' }),
  });
  const until = join(folder, 'go');
  write({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: { until } } });
  expect(texts(await call(2, 'echo'))).toEqual(['{}']);
  writeFileSync(until, '');
  expect(await answerTo(1)).toMatchObject({ result: { content: [{ text: 'slow' }] } });
});

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

test.each([1_100, 200_000])(
  'a call whose arguments are nested %d levels deep does not get past its guard (S-34)',
  async (levels) => {
    const { write, call, answerTo, serverRead, stderr } = await startMcp({
      files: hooks({ 'tool.before echo': 'grep -q rm && exit 2; exit 0' }),
    });
    write(`${request(1, `{"command":"rm","a":${nested(levels)}}`)}\n`);
    expect(await answerTo(1)).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining('nested more than 1,000 levels deep') }],
      },
    });
    await expect.poll(stderr).toContain('it is denied');
    expect(texts(await call(2, 'echo'))).toEqual(['{}']);
    expect(serverRead().some((line) => line.includes('rm'))).toBe(false);
  },
);

test('a call that is larger than 64 MiB never reaches the server (S-34)', async () => {
  const { write, call, answerTo, serverRead } = await startMcp();
  write(`${request(1, `{"a":"${'x'.repeat(64 * 1024 * 1024)}"}`)}\n`);
  expect(await answerTo(1)).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringContaining('larger than 64 MiB') }] },
  });
  expect(texts(await call(2, 'echo'))).toEqual(['{}']);
  expect(serverRead().some((line) => line.includes('xxx'))).toBe(false);
});

test('a result that is nested too deep for hooks to look at is reported, and the proxy goes on', async () => {
  const { call, answerTo, write, stderr } = await startMcp({
    files: hooks({ 'tool.after': 'true' }),
  });
  const result = `{"content":[],"structuredContent":{"a":${nested(100_000)}}}`;
  const line = `{"jsonrpc":"2.0","id":1,"result":${result}}\n`;
  write({ id: 1, method: 'tools/call', params: { name: 'raw', arguments: { line } } });
  await answerTo(1);
  expect(stderr()).toContain('nested more than 1,000 levels deep');
  expect(texts(await call(2, 'echo'))).toEqual(['{}']);
});
