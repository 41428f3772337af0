import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isPublic } from '../../src/handlers/addresses.ts';
import type { HandlerOf } from '../../src/handlers/handler.ts';
import { answerOf, type Options, runHandler } from './run-handler.ts';

interface Arrived {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server on this machine that runs until the test ends. */
async function server(respond: (response: ServerResponse, arrived: Arrived) => void) {
  const arrived: Arrived[] = [];
  const listening = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) listening.emit('hungUp');
    });
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const { method, url, headers } = request;
      const one = { method, url, headers, body };
      arrived.push(one);
      respond(response, one);
    });
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  const { port } = listening.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, port, arrived, hungUp: once(listening, 'hungUp') };
}

const answering =
  (status: number, body = '', headers = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);

const handler = (more: Partial<HandlerOf<'http'>> = {}): HandlerOf<'http'> => ({
  kind: 'http',
  ...more,
});

const ask = (url: string, more?: Partial<HandlerOf<'http'>>, options?: Options) =>
  answerOf(url, handler(more), options);

test('the event is posted as JSON, and an object in a 2xx response is the answer', async () => {
  const { url, arrived } = await server(answering(201, '{"decision":"deny","reason":"no"}'));
  const outcome = await runHandler(url, handler(), { input: { text: 'ö' } });
  expect(outcome).toMatchObject({
    status: 'exited',
    exit: { exitCode: 0, httpStatus: 201, stdout: '{"decision":"deny","reason":"no"}' },
  });
  expect(arrived).toMatchObject([
    {
      method: 'POST',
      url: '/hook',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"ö"}',
    },
  ]);
});

test.each([200, 204])('an empty response with status %i is no opinion', async (status) => {
  const { url } = await server(answering(status));
  expect(await ask(url)).toBeUndefined();
});

test('a connection is reused', async () => {
  const ports = new Set<number | undefined>();
  const { url } = await server((response) => {
    ports.add(response.socket?.remotePort);
    response.end('{}');
  });
  for (let event = 0; event < 3; event++) await ask(url);
  expect(ports.size).toBe(1);
});

test.each([
  [500, 'Out of order', 'the server answered with status 500: Out of order'],
  [403, '', 'the server answered with status 403'],
  [404, 'x'.repeat(300), `the server answered with status 404: ${'x'.repeat(200)}…`],
  [200, 'fine', "the server's answer is not one JSON object: fine"],
  [200, '[1]', "the server's answer is not one JSON object: [1]"],
  [302, '', 'the server answered with status 302'],
  [307, '', 'the server redirects to nowhere; write the URL that answers'],
])('status %i with the body %j is a failure that reports both', async (status, body, message) => {
  const { url } = await server(answering(status, body));
  expect(await runHandler(url, handler())).toMatchObject({
    status: 'failed',
    error: { message },
    exit: { httpStatus: status },
  });
});

test('a redirect to another path of the same server is followed', async () => {
  const { url, arrived } = await server((response, { url: path }) =>
    path === '/hook'
      ? answering(307, '', { location: '/other' })(response)
      : answering(200, '{"is":"there"}')(response),
  );
  expect(await ask(url, {}, { input: { a: 1 } })).toEqual({ is: 'there' });
  expect(arrived.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}']);
});

test('a redirect to another host is not followed', async () => {
  const other = await server(answering(200, '{}'));
  const { url } = await server(answering(308, '', { location: other.url }));
  expect(await ask(url)).toBe(
    `the server redirects to http://127.0.0.1:${other.port}; write the URL that answers`,
  );
  expect(other.arrived).toEqual([]);
});

test('circular redirects are a failure', async () => {
  const { url, arrived } = await server(answering(307, '', { location: '/hook' }));
  expect(await ask(url)).toContain('again and again');
  expect(arrived).toHaveLength(6);
});

test('an answer over 10 MiB is a failure', async () => {
  const { url } = await server((response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1 << 20)));
    };
    response.on('drain', more);
    more();
  });
  expect(await ask(url)).toContain('its answer is over 10 MiB; answer with less');
});

test('a server that nobody started is a failure that names it', async () => {
  const listening = createTcpServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  listening.close();
  await once(listening, 'close');
  expect(await ask(`http://127.0.0.1:${port}/`)).toBe(
    `the request to http://127.0.0.1:${port} failed: connect ECONNREFUSED 127.0.0.1:${port}`,
  );
});

test('a server that hangs up is a failure', async () => {
  const { url } = await server((response) => response.destroy());
  expect(await ask(url)).toContain('socket hang up');
});

test('an answer that is cut off is a failure', async () => {
  const { url } = await server((response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{', () => response.destroy());
  });
  expect(await ask(url)).toContain('aborted');
});

test('a server that does not speak HTTP is a failure', async () => {
  const listening = createTcpServer((socket) => socket.end('220 smtp ready\r\n'));
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => void listening.close());
  const { port } = listening.address() as AddressInfo;
  expect(await ask(`http://127.0.0.1:${port}/`)).toContain('Parse Error');
});

test.each([
  ['is silent', (): void => undefined],
  ['sends its answer forever', (response: ServerResponse) => void response.write('{')],
])('a server that %s runs into the deadline, and the request is aborted', async (_, respond) => {
  const { url, hungUp } = await server(respond);
  expect(await runHandler(url, handler(), { timeout: 300 })).toMatchObject({ status: 'timedOut' });
  await hungUp;
});

test('what a server sent before the deadline is kept, for a denial in it (S-32)', async () => {
  const denial = '{"decision":"deny","reason":"no"}';
  const { url } = await server((response) => void response.writeHead(200).write(denial));
  expect(await runHandler(url, handler(), { timeout: 300 })).toMatchObject({
    status: 'timedOut',
    exit: { stdout: denial, httpStatus: 200 },
  });
  const half = await server((response) => void response.writeHead(200).write(denial.slice(0, -1)));
  const failing = await server((response) => void response.writeHead(500).write(denial));
  for (const other of [half, failing])
    expect(await runHandler(other.url, handler(), { timeout: 300 })).toMatchObject({
      status: 'timedOut',
      exit: { stdout: '' },
    });
});

test('a cancelled request is aborted', async () => {
  const abort = new AbortController();
  const { url, hungUp } = await server(() => abort.abort());
  const outcome = await runHandler(url, handler(), { cancel: abort.signal });
  expect(outcome).toMatchObject({ status: 'cancelled' });
  await hungUp;
});

test('headers contain the values of the variables that they may use', async () => {
  const { url, arrived } = await server(answering(204));
  const headers = { Authorization: 'Bearer $TOKEN', 'X-Two': '${TOKEN}-${PLACE}' };
  const env = { TOKEN: 'secret', PLACE: 'here' };
  await ask(url, { headers, allowedEnv: ['TOKEN', 'PLACE'] }, { env });
  expect(arrived[0]?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'x-two': 'secret-here',
    'content-type': 'application/json',
  });
});

test.each([
  [
    'a variable that is not allowed',
    { 'X-A': '$SECRET' },
    ['OTHER'],
    'its header "X-A" uses the variable SECRET, which is not allowed; add it to "allowedEnv"',
  ],
  [
    'a variable that is not set',
    { 'X-A': '${NO_SUCH_VARIABLE}' },
    ['NO_SUCH_VARIABLE'],
    'its header "X-A" uses the variable NO_SUCH_VARIABLE, which is not set; set it for this program',
  ],
  ['a line break', { 'X-A': 'one\ntwo' }, [], expect.stringContaining('Invalid character')],
])('a header with %s is a failure, and nothing is sent', async (_, headers, allowedEnv, said) => {
  const { url, arrived } = await server(answering(204));
  const fields = { headers: headers as Record<string, string>, allowedEnv };
  expect(await ask(url, fields, { env: { SECRET: 'x' } })).toEqual(said);
  expect(arrived).toEqual([]);
});

test.each([
  ['no URL at all', 'is not a URL'],
  ['ftp://example.com/', 'is not a URL'],
  ['http://me:secret@127.0.0.1/', 'holds a user or a password; send them in a header'],
])('%s is not a URL to post to', async (url, said) => {
  expect(await ask(url)).toContain(said);
});

test('events are posted only to allowed URLs', async () => {
  const { url, port, arrived } = await server(answering(200, '{}'));
  const refused = await ask(url, { allowedUrls: ['https://*', `http://127.0.0.1:${port}/other`] });
  expect(refused).toContain('/hook is not one of the allowed URLs; add it to "allowedUrls"');
  expect(arrived).toEqual([]);
  expect(await ask(url, { allowedUrls: [`http://127.0.0.1:${port}/*`] })).toEqual({});
});

/** Makes names resolve to these addresses, one after another. */
function resolving(...addresses: string[]): void {
  const { lookup } = dns;
  const find = (_: string, { all }: { all?: boolean }, done: (...said: unknown[]) => void) => {
    const address = addresses.length > 1 ? addresses.shift()! : addresses[0]!;
    const family = address.includes(':') ? 6 : 4;
    setImmediate(() => (all ? done(null, [{ address, family }]) : done(null, address, family)));
  };
  dns.lookup = find as unknown as typeof lookup;
  syncBuiltinESMExports();
  onTestFinished(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  });
}

test.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:7f00:1', 'fd00::1'])(
  'an event is not posted to a name that resolves to %s',
  async (address) => {
    resolving(address);
    expect(await ask('http://guard.example/')).toContain(
      `guard.example resolves to ${address}, an address of this machine or its network`,
    );
  },
);

test('an event is posted to a name that resolves to this machine if the settings name it', async () => {
  const { port } = await server(answering(200, '{"is":"here"}'));
  resolving('127.0.0.1');
  const url = `http://guard.example:${port}/hook`;
  const pattern = `http://*.example:${port}/*`;
  expect(await ask(url, { allowedUrls: [pattern] })).toContain('resolves to 127.0.0.1');
  expect(await ask(url, { allowedUrls: [`http://guard.example:${port}/*`] })).toEqual({
    is: 'here',
  });
  // Nor does the open connection serve a hook that may not have it.
  expect(await ask(url)).toContain('resolves to 127.0.0.1');
});

test('a name is looked up once for each connection, so that it cannot lead elsewhere after it was checked', async () => {
  const { port, arrived } = await server(answering(200, '{}'));
  resolving('203.0.113.1', '127.0.0.1');
  const outcome = await runHandler(`http://guard.example:${port}/`, handler(), { timeout: 300 });
  expect(outcome.status).not.toBe('exited');
  expect(arrived).toEqual([]);
});

test.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['0.0.0.0', false],
  ['100.64.0.1', false],
  ['172.31.255.255', false],
  ['172.32.0.1', true],
  ['192.168.1.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['fe80::1', false],
  ['ff02::1', false],
  ['::ffff:192.168.0.1', false],
  ['::ffff:8.8.8.8', true],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['no address', false],
])('whether %s is public: %s', (address, said) => {
  expect(isPublic(address)).toBe(said);
});
