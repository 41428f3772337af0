import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveJournal } from '../../src/watch/inspector/start-inspector.ts';
import { serveRelay } from '../../src/watch/stately/serve-relay.ts';
import { ask, enter } from '../watch/inspector/ask.ts';

/** A page that shows a session, with the cookie of its owner's browser. */
async function serve() {
  const inspector = await serveJournal('a project', {});
  onTestFinished(() => inspector.close());
  inspector.warned('something of the session');
  const { page, cookie } = await enter(inspector.url);
  return { url: inspector.url, page, cookie };
}

type Served = Awaited<ReturnType<typeof serve>>;

/** Everything that can be requested: the entry, the page, what it shows, its script. */
const addresses = ({ url, page }: Served): readonly string[] => [
  url,
  page,
  `${page}journal`,
  `${page}main.js`,
  `${page}diagrams/tool-call.svg`,
];

/** Expects that a request with the owner's cookie and token learns nothing. */
async function expectRefused(served: Served, headers: Record<string, string>): Promise<void> {
  for (const address of addresses(served)) {
    const answer = await ask(address, { headers: { cookie: served.cookie, ...headers } });
    expect([address, answer.status]).toEqual([address, 403]);
    expect(answer.body).not.toContain('session');
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  }
}

describe("another site in the user's browser learns nothing", () => {
  test.each(['https://evil.example', 'http://127.0.0.1:1', 'http://localhost', 'null'])(
    'a site that sends requests from the origin %s learns nothing',
    async (origin) => {
      await expectRefused(await serve(), { origin });
    },
  );

  test.each(['cross-site', 'same-site'])('a %s link or frame learns nothing', async (site) => {
    await expectRefused(await serve(), { 'sec-fetch-site': site });
  });

  test.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '0.0.0.0',
    '[::1]',
  ])('a site whose name %s was made to resolve to this machine learns nothing', async (name) => {
    const served = await serve();
    const { port } = new URL(served.url);
    await expectRefused(served, { host: `${name}:${port}` });
    const origin = `http://${name}:${port}`;
    await expectRefused(served, { host: `${name}:${port}`, origin });
  });

  test('requests that do more than read are refused', async () => {
    const served = await serve();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])
      for (const address of addresses(served)) {
        const asked = await ask(address, { method, headers: { cookie: served.cookie } });
        expect([asked.status, asked.headers.allow]).toEqual([405, 'GET']);
      }
  });
});

describe('another user of this machine learns nothing', () => {
  test.each([
    ['no token', ''],
    ['an empty token', '?token='],
    ['a wrong token', `?token=${'a'.repeat(32)}`],
    ['the name of a field as its token', '?token=__proto__'],
  ])('a request with %s learns nothing', async (_, query) => {
    const served = await serve();
    const token = new URL(served.url).searchParams.get('token')!;
    for (const address of addresses(served)) {
      const { status, body } = await ask(
        new URL(address).origin + new URL(address).pathname + query,
      );
      expect(status).toBe(403);
      expect(body).not.toContain(token);
    }
  });

  test('a token that is cut or extended is refused', async () => {
    const served = await serve();
    for (const url of [served.url.slice(0, -1), `${served.url}a`])
      expect((await ask(url)).status).toBe(403);
  });

  test('the cookie of another inspector is refused', async () => {
    const [one, other] = [await serve(), await serve()];
    const [, token] = other.cookie.split('=');
    const [name] = one.cookie.split('=');
    const { status } = await ask(`${one.page}journal`, { headers: { cookie: `${name}=${token}` } });
    expect(status).toBe(403);
  });
});

const outer = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

test.skipIf(outer === undefined)('another machine cannot even connect', async () => {
  const { url } = await serve();
  const socket = connect(Number(new URL(url).port), outer);
  onTestFinished(() => void socket.destroy());
  const isConnected = await new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  expect(isConnected).toBe(false);
});

test('the page that embeds Stately’s is not served under a name that was made to resolve to this machine', async () => {
  const relay = await serveRelay();
  onTestFinished(() => relay.close());
  relay.send('"something of the session"');
  const { port } = new URL(relay.url);
  for (const address of [relay.url, `${relay.url}messages`]) {
    const answer = await ask(address, { headers: { host: `evil.example:${port}` } });
    expect([answer.status, answer.body]).toEqual([403, '']);
  }
});
