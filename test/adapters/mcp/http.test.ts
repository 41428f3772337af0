import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { hooks, startMcp } from '../../support/mcp.ts';
import { waitUntil } from '../../support/until.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Seen {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly message?: Fields;
}

type Handle = (seen: Seen, response: ServerResponse) => void;

const json = (response: ServerResponse, body: object, headers: object = {}): void => {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  // A body may span several lines.
  response.end(JSON.stringify(body, null, 2));
};

const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

const event = (message: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`;

const resultOf = (id: unknown, said: string): object => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: said }] },
});

/** A server that does what a test says, and otherwise what every server does. */
async function serve(handle: Partial<Readonly<Record<string, Handle>>>) {
  const seen: Seen[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = '', headers } = request;
    const message = body === '' ? undefined : (JSON.parse(body) as Fields);
    const one = { method, headers, ...(message && { message }) };
    seen.push(one);
    const what = message ? String(message['method']) : method;
    if (handle[what]) handle[what](one, response);
    else if (what === 'initialize') {
      const result = { protocolVersion: '2025-06-18', capabilities: {} };
      json(response, { jsonrpc: '2.0', id: message!['id'], result }, { 'mcp-session-id': 's-1' });
    } else response.writeHead(message && message['id'] === undefined ? 202 : 405).end();
  }
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, url: `http://127.0.0.1:${port}/mcp` };
}

test('requests over HTTP have the session, the protocol version and the given headers, and the session is ended', async () => {
  const { seen, url } = await serve({
    'tools/call': ({ message }, response) => json(response, resultOf(message!['id'], 'hi')),
    DELETE: (_, response) => void response.writeHead(200).end(),
  });
  const { running, call } = await startMcp({
    server: ['--url', url, '--header', 'Authorization: Bearer t'],
  });
  expect(await call(1, 'a')).toEqual({ content: [{ type: 'text', text: 'hi' }] });
  running.stdin.end();
  expect((await running).exitCode).toBe(0);
  const [first, ...others] = seen;
  expect(first!.headers).not.toHaveProperty('mcp-session-id');
  for (const { headers } of others)
    expect(headers).toMatchObject({
      authorization: 'Bearer t',
      'mcp-session-id': 's-1',
      'mcp-protocol-version': '2025-06-18',
    });
  expect(new Set(seen.map(({ method, message }) => message?.['method'] ?? method))).toEqual(
    new Set(['initialize', 'notifications/initialized', 'GET', 'tools/call', 'DELETE']),
  );
});

test('a call that a hook denies is not sent over HTTP', async () => {
  const { seen, url } = await serve({});
  const { call } = await startMcp({
    server: ['--url', url],
    files: hooks({ 'tool.before': 'echo no >&2; exit 2' }),
  });
  expect(await call(1, 'a')).toMatchObject({ isError: true, content: [{ text: 'no' }] });
  expect(seen.some(({ message }) => message?.['method'] === 'tools/call')).toBe(false);
});

test('messages in a stream arrive before its answer, and those of the server’s own stream arrive too', async () => {
  const { url } = await serve({
    GET: (_, response) => void stream(response).write(event({ jsonrpc: '2.0', method: 'own' })),
    'tools/call': ({ message }, response) =>
      void stream(response).end(
        `: still there\r\n\r\n${event({ jsonrpc: '2.0', method: 'progress' })}${event(resultOf(message!['id'], 'hi'))}`,
      ),
  });
  const { call, messages } = await startMcp({ server: ['--url', url] });
  await call(1, 'a');
  const methods = messages().map(({ method, id }) => method ?? id);
  expect(methods.indexOf('progress')).toBeLessThan(methods.indexOf(1));
  await waitUntil(() => messages().some(({ method }) => method === 'own'));
});

test('a stream that breaks off is resumed after its last event', async () => {
  let id: unknown;
  const { seen, url } = await serve({
    'tools/call': ({ message }, response) => {
      id = message!['id'];
      stream(response).write('id: e-1\nretry: 10\ndata:\n\n', () => response.destroy());
    },
    GET: ({ headers }, response) => {
      if (headers['last-event-id'] === undefined) response.writeHead(405).end();
      else stream(response).end(event(resultOf(id, 'at last'), 'e-2'));
    },
  });
  const { call } = await startMcp({ server: ['--url', url] });
  expect(await call(1, 'a')).toEqual({ content: [{ type: 'text', text: 'at last' }] });
  expect(seen.at(-1)!.headers['last-event-id']).toBe('e-1');
});

test('a request that fails over HTTP is answered with an error that says why, and the next one is sent', async () => {
  const { url } = await serve({
    first: (_, response) => void response.writeHead(401).end(),
    second: (_, response) => void response.destroy(),
    third: ({ message }, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: message!['id'], error: { code: 5, message: 'own' } }),
      );
    },
  });
  const { write, answerTo } = await startMcp({ server: ['--url', url] });
  for (const [id, method] of [
    [1, 'first'],
    [2, 'second'],
    [3, 'third'],
  ])
    write({ id, method });
  const why = async (id: number) => ((await answerTo(id))['error'] as Fields)['message'];
  expect(await why(1)).toContain('HTTP status 401; give the credentials it needs with --header');
  expect(await why(2)).toMatch(/the request to the MCP server at .+ failed: /);
  expect(await why(3)).toBe('own');
});

test('a request follows a redirect within the same server, and fails if it leads to another one', async () => {
  const { url, seen } = await serve({
    ping: ({ message }, response) => {
      if (seen.filter((one) => one.message?.['method'] === 'ping').length > 1)
        return json(response, { jsonrpc: '2.0', id: message!['id'], result: {} });
      response.writeHead(307, { location: '/mcp/' }).end();
    },
    strange: (_, response) => void response.writeHead(307, { location: 'http://a.example/' }).end(),
  });
  const { write, answerTo } = await startMcp({ server: ['--url', url] });
  write({ id: 1, method: 'ping' });
  expect(await answerTo(1)).toMatchObject({ result: {} });
  write({ id: 2, method: 'strange' });
  expect(await answerTo(2)).toMatchObject({
    error: { message: expect.stringContaining('it has moved to http://a.example') as string },
  });
});
