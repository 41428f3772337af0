import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import '../build.ts';
import { begin, enter } from '../watch/inspector/ask.ts';
import { waitUntil } from '../support/until.ts';

const script = new URL('../fixtures/hosts/inspected.mjs', import.meta.url).pathname;
// A quarter of the files that the host may open.
const most = 64;

type Finally = TestContext['onTestFinished'];

/** A host in a separate process that may open few files, with a page of this kind. */
async function startHost(kind: string) {
  const folder = mkdtempSync(join(tmpdir(), 'hookmachine strangers '));
  const host = execa('bash', ['-c', `ulimit -n 256; exec node ${script} ${kind}`], {
    buffer: false,
    reject: false,
    env: { TMPDIR: folder },
  });
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => String((await lines.next()).value);
  const url = await line();
  return {
    url,
    port: Number(new URL(url).port),
    async end(): Promise<void> {
      host.kill();
      await host;
      rmSync(folder, { recursive: true });
    },
    /** Returns how many of six calls its hook denies, and how many sockets it has then. */
    async callSix(): Promise<{ denied: number; sockets: number }> {
      host.stdin.write('\n');
      const [denied, sockets] = (await line()).split(' ');
      return { denied: Number(denied), sockets: Number(sockets) };
    },
  };
}

/** A connection that begins with this text, and whether the host has ended it. */
function knock(
  port: number,
  text: string,
  onTestFinished: Finally,
): { socket: Socket; isOpen: () => boolean } {
  const socket = connect(port, '127.0.0.1');
  let isOpen = true;
  socket.on('error', () => undefined).on('close', () => (isOpen = false));
  socket.resume();
  socket.on('connect', () => void socket.write(text));
  onTestFinished(() => void socket.destroy());
  return { socket, isOpen: () => isOpen };
}

const connected = (sockets: readonly { socket: Socket }[]): Promise<boolean> =>
  waitUntil(() => sockets.every(({ socket }) => !socket.connecting));

const openOf = (sockets: readonly { isOpen: () => boolean }[]): number =>
  sockets.filter(({ isOpen }) => isOpen()).length;

/** What a stranger may send to hold a connection for as long as possible. */
const knocks: readonly (readonly [string, string])[] = [
  ['nothing at all', ''],
  ['half a request', 'GET / HTTP/1.1\r\nHost: 127.0.0.1'],
  [
    'a request that waits for its body',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\nx',
  ],
  ['a request that wants to stay', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n'],
  [
    'a request for a WebSocket',
    'GET /journal HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  ],
  ['a request for a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a request for events', 'GET /journal HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n'],
  ['many requests at once', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50)],
  ['endless headers', `GET / HTTP/1.1\r\n${'X-A: a\r\n'.repeat(1_500)}`],
  ['bytes that are not a request', '\u0016\u0003\u0001\u0002\u0000\u0001'],
];

describe.each(['inspector', 'stately', 'recording'])('with the page of the kind "%s"', (kind) => {
  test('400 partial requests of a stranger cost a host that may open 256 files no denial (S-27)', async ({
    onTestFinished,
  }) => {
    const host = await startHost(kind);
    onTestFinished(() => host.end());
    const before = await host.callSix();
    expect(before.denied).toBe(6);
    const half = knocks[1]![1];
    const strangers = Array.from({ length: 400 }, () => knock(host.port, half, onTestFinished));
    expect(await host.callSix()).toHaveProperty('denied', 6);
    await connected(strangers);
    const { denied, sockets } = await host.callSix();
    expect(denied).toBe(6);
    // Hooks that are just ending have sockets too.
    expect(sockets - before.sockets).toBeLessThanOrEqual(most + 8);
  });

  test('a client with the token is admitted and stays connected, however many strangers there are (S-27)', async ({
    onTestFinished,
  }) => {
    const host = await startHost(kind);
    onTestFinished(() => host.end());
    const early = knocks.flatMap(([, text]) =>
      Array.from({ length: 10 }, () => knock(host.port, text, onTestFinished)),
    );
    await connected(early);
    const { page, cookie } =
      kind === 'stately' ? { page: host.url, cookie: '' } : await enter(host.url);
    const stream = await begin(kind === 'stately' ? `${page}messages` : `${page}journal`, {
      headers: { cookie },
    });
    let hasEnded = false;
    void stream.whole.then(
      () => (hasEnded = true),
      () => (hasEnded = true),
    );
    const late = Array.from({ length: 200 }, () => knock(host.port, '', onTestFinished));
    await connected(late);
    const again = await begin(page, { headers: { cookie } });
    expect((await again.whole).status).toBe(200);
    // The stream of a recording ends with it.
    if (kind !== 'recording') expect(hasEnded).toBe(false);
    expect(await host.callSix()).toHaveProperty('denied', 6);
  });
});

describe('a stranger is not waited for', () => {
  let host: Awaited<ReturnType<typeof startHost>>;
  beforeAll(async () => {
    host = await startHost('inspector');
  });
  afterAll(() => host.end());

  test.concurrent.for(knocks)(
    'a stranger who sends %s is disconnected',
    async ([, text], { onTestFinished }) => {
      // All together they stay below the limit, so none is disconnected to make room.
      const strangers = Array.from({ length: 3 }, () => knock(host.port, text, onTestFinished));
      await waitUntil(() => openOf(strangers) === 0);
    },
  );

  test.concurrent('a stranger who sends a byte at a time is disconnected', async ({
    onTestFinished,
  }) => {
    const { socket, isOpen } = knock(host.port, 'GET / HTTP/1.1\r\n', onTestFinished);
    const drip = setInterval(() => socket.writable && socket.write('X'), 50);
    onTestFinished(() => clearInterval(drip));
    await waitUntil(() => !isOpen());
  });
});
