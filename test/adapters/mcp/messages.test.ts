import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hooks, says, startMcp } from '../../support/mcp.ts';
import { waitUntil } from '../../support/until.ts';

/** What the client reads when the server writes these bytes as they are. */
async function passedOn(pieces: readonly Buffer[]): Promise<Buffer> {
  const { write, bytes } = await startMcp({ capabilities: 'none' });
  const whole = Buffer.concat(pieces);
  for (const piece of pieces)
    write({ method: 'odd/bytes', params: { bytes: piece.toString('base64') } });
  await waitUntil(() => bytes().length >= whole.length);
  return bytes();
}

test('everything that the server sends reaches the client byte for byte, known or not, valid or not', async () => {
  const said = Buffer.concat([
    Buffer.from(
      '{"jsonrpc":"2.0", "method":"notifications/new","params":{"n":1.0,"u":"\\u00e4"}}\r\n',
    ),
    Buffer.from('no JSON at all\n\n  \n'),
    Buffer.from([0xff, 0xfe, 0x0a]),
    Buffer.from('[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":9,"result":{}}]\n'),
    Buffer.from('{"jsonrpc":"2.0","id":"r","method":"roots/list"}\n'),
  ]);
  expect(await passedOn([said])).toEqual(said);
});

test('a line that arrives in pieces, cut within a character, is passed on whole', async () => {
  const line = Buffer.from('{"jsonrpc":"2.0","method":"notifications/x","params":{"t":"äöü🙂"}}\n');
  const cut = line.indexOf(Buffer.from('🙂')) + 2;
  expect(await passedOn([line.subarray(0, cut), line.subarray(cut)])).toEqual(line);
});

test('a message of many megabytes goes both ways unchanged', async () => {
  const { write, answerTo, serverRead, bytes } = await startMcp();
  const big = 'x'.repeat(8 << 20);
  const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"big":"${big}"}}}`;
  write(`${line}\n`);
  await answerTo(1);
  expect(serverRead().at(-1)).toBe(line);
  expect(bytes().length).toBeGreaterThan(big.length);
});

test('everything that the client sends reaches the server byte for byte and in order', async () => {
  const { write, serverRead, answerTo } = await startMcp();
  const lines = [
    '{"jsonrpc":"2.0","id":"r","result":{"roots":[]}}',
    '{ "jsonrpc":"2.0","method":"notifications/roots/list_changed" }',
    '{"jsonrpc":"2.0","id":3,"method":"methods/not-yet-invented","params":{"n":1e400}}',
    '[{"jsonrpc":"2.0","id":4,"method":"ping"}]',
    '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"z":1.0}}}',
    '{"jsonrpc":"2.0","id":6,"method":"tools/list"}',
  ];
  write(`${lines.join('\n')}\n`);
  await answerTo(6);
  expect(serverRead().slice(-lines.length)).toEqual(lines);
});

test('a message of the client that nobody can read, or that names no tool, never reaches the server, which might read it as a call', async () => {
  const { write, answerTo, serverRead, stderr } = await startMcp();
  const call = '"method":"tools/call","params":{"name":"echo"}';
  const lines = [
    'broken echo {',
    `{"jsonrpc":"2.0","id":1,\n${call}}`,
    `{"method":"ping"}{"id":2,${call}}`,
    `[[{"id":3,${call}}]]`,
    '{"id":4,"method":"tools/call","params":["echo",{}]}',
    '{"id":5,"method":"tools/call","params":{"name":["echo"]}}',
    `{"id":null,${call}}`,
  ];
  write(`${lines.join('\n')}\n`);
  write({ id: 'last', method: 'tools/list' });
  await answerTo('last');
  expect(serverRead().filter((line) => line.includes('echo'))).toEqual([]);
  expect(await answerTo(null)).toMatchObject({ error: { code: -32_700 } });
  expect(await answerTo(4)).toMatchObject({ error: { code: -32_602 } });
  expect(stderr()).toContain('it is not JSON-RPC');
});

test('the server gets the arguments that hooks saw, even if the bytes of the client are not UTF-8', async () => {
  const { write, answerTo, serverRead } = await startMcp();
  const [before, after] = [
    '{"id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"',
    '"}}}\n',
  ];
  write(Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]));
  await answerTo(1);
  expect(serverRead().at(-1)).toBe(`${before}\uFFFD${after.trimEnd()}`);
});

test('an answer that comes before its call does not stand in for what the hooks decide', async () => {
  const { write, answerTo, folder } = await startMcp({
    files: hooks({
      'tool.before echo': 'touch begun; until [ -f go ]; do sleep 0.02; done; echo no >&2; exit 2',
    }),
  });
  write({ id: 1, method: 'tools/call', params: { name: 'echo' } });
  await waitUntil(() => isThere(join(folder, 'begun')));
  const early = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"early"}]}}\n';
  write({ id: 2, method: 'odd/bytes', params: { bytes: Buffer.from(early).toString('base64') } });
  write({ id: 3, method: 'tools/list' });
  await answerTo(3);
  writeFileSync(join(folder, 'go'), '');
  expect(await answerTo(1)).toMatchObject({ result: { content: [{ text: 'no' }], isError: true } });
});

test('what we write stands on lines of its own when the server ends within a line', async () => {
  const { write, bytes, running } = await startMcp();
  write({
    id: 1,
    method: 'tools/call',
    params: { name: 'slow', arguments: { until: '/nowhere/' } },
  });
  const part = '{"jsonrpc":"2.0","id":1,"result":{"content":[';
  write({ id: 2, method: 'odd/bytes', params: { bytes: Buffer.from(part).toString('base64') } });
  write({ id: 3, method: 'tools/call', params: { name: 'die' } });
  await running;
  const lines = bytes().toString().trimEnd().split('\n');
  const after = lines.slice(lines.indexOf(part) + 1).map((line) => JSON.parse(line) as object);
  expect(lines).toContain(part);
  expect(after).toHaveLength(3);
  expect(after).toContainEqual(
    expect.objectContaining({ id: 1, result: expect.anything() as object }),
  );
});

test('a call that the client cancels while its hooks run never reaches the server, nor does the cancellation', async () => {
  const { write, call, serverRead, messages, folder } = await startMcp({
    files: hooks({ 'tool.before slow': 'touch begun; exec sleep 60' }),
  });
  write({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: { until: '/' } } });
  await waitUntil(() => isThere(join(folder, 'begun')));
  write({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'no more' } });
  await call(2, 'echo');
  expect(serverRead().filter((line) => /slow|cancelled/.test(line))).toEqual([]);
  expect(messages().filter(({ id }) => id === 1)).toEqual([]);
});

test('a call that the server has received is cancelled there, and a late answer is dropped', async () => {
  const { write, call, serverRead, messages, folder } = await startMcp();
  const until = join(folder, 'go');
  write({ id: 1, method: 'tools/call', params: { name: 'slow', arguments: { until } } });
  await waitUntil(() => serverRead().some((line) => line.includes('slow')));
  write({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await call(2, 'echo');
  writeFileSync(until, '');
  await call(3, 'raw', {
    line: '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n{"jsonrpc":"2.0","id":3,"result":{}}\n',
  });
  expect(serverRead().some((line) => line.includes('notifications/cancelled'))).toBe(true);
  expect(messages().filter(({ id }) => id === 1).length).toBeLessThan(2);
});

const elicitation = { elicitation: {} };
const ask = says({ decision: 'ask', reason: 'Really?' });

test.each([
  ['accept', undefined],
  ['decline', true],
  ['cancel', true],
])(
  'when a hook asks, the user is asked by elicitation, and the answer %s counts',
  async (action, isError) => {
    const { write, call, messages, answerTo, folder } = await startMcp({
      files: hooks({ 'tool.before': ask, notify: 'jq -c "[.message, .details]" > notified' }),
      capabilities: elicitation,
    });
    void call(1, 'echo', { a: 1 });
    const question = await waitUntil(() =>
      messages().find(({ method }) => method === 'elicitation/create'),
    );
    expect(question).toMatchObject({
      params: {
        message: 'Really?\n\nMay echo run with {"a":1}?',
        requestedSchema: { type: 'object', properties: {} },
      },
    });
    expect(JSON.parse(readFileSync(`${folder}/notified`, 'utf8'))).toEqual([
      'Really?',
      { tool_name: 'echo', tool_input: { a: 1 } },
    ]);
    write({ id: question!['id'], result: { action } });
    const { result } = await answerTo(1);
    expect((result as { isError?: boolean }).isError).toBe(isError);
  },
);

test('when a hook asks and the client cannot ask its user, the call is blocked', async () => {
  const { call, messages } = await startMcp({ files: hooks({ 'tool.before': ask }) });
  expect(await call(1, 'echo')).toMatchObject({ isError: true });
  expect(messages().some(({ method }) => method === 'elicitation/create')).toBe(false);
});

test('a question is withdrawn when its call is cancelled', async () => {
  const { write, messages } = await startMcp({
    files: hooks({ 'tool.before': ask }),
    capabilities: elicitation,
  });
  write({ id: 1, method: 'tools/call', params: { name: 'echo' } });
  const question = await waitUntil(() =>
    messages().find(({ method }) => method === 'elicitation/create'),
  );
  write({ method: 'notifications/cancelled', params: { requestId: 1 } });
  await waitUntil(() =>
    messages().some(
      ({ method, params }) =>
        method === 'notifications/cancelled' &&
        (params as { requestId: unknown }).requestId === question!['id'],
    ),
  );
});

const only = (...names: string[]): string =>
  says({ hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: names } } });

test('BeforeToolSelection hooks decide which tools are listed, on every page, and no other tool can be called', async () => {
  const { write, answerTo, call, folder } = await startMcp({
    files: hooks({ 'tool.select': `echo >> asked; ${only('echo', 'structured')}` }),
    env: { PAGES: '4' },
  });
  const names: string[] = [];
  let cursor: string | undefined;
  for (let id = 1; id === 1 || cursor !== undefined; id++) {
    write({ id, method: 'tools/list', params: { ...(cursor && { cursor }) } });
    const { result } = (await answerTo(id)) as {
      result: { tools: { name: string }[]; nextCursor?: string };
    };
    names.push(...result.tools.map(({ name }) => name));
    cursor = result.nextCursor;
  }
  expect(names).toEqual(['echo', 'structured']);
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('\n');
  expect(await call(10, 'echo')).not.toHaveProperty('isError');
  expect(await call(11, 'fail')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('not among the tools') as string }],
  });
});

test('a tool that hooks withhold cannot be called by a client that never asked for the list', async () => {
  const { call } = await startMcp({ files: hooks({ 'tool.select': only('fail') }) });
  expect(await call(1, 'echo')).toMatchObject({ isError: true });
});

test('a list of tools that no hook narrows is passed on byte for byte', async () => {
  const { write, bytes, answerTo } = await startMcp({ files: hooks({ 'tool.before': 'true' }) });
  const line = '{"jsonrpc":"2.0","id":1, "result":{"tools":[{"name":"a","n":1.0}]}}\n';
  // The server sends it before its own answer.
  write({ id: 0, method: 'odd/bytes', params: { bytes: Buffer.from(line).toString('base64') } });
  write({ id: 1, method: 'tools/list' });
  await answerTo(1);
  expect(bytes().toString()).toContain(line);
});

const isThere = (file: string): boolean => {
  try {
    return readFileSync(file) !== undefined;
  } catch {
    return false;
  }
};
