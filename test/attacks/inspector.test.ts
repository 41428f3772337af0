import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serveJournal } from '../../src/inspector/start-inspector.ts';
import { serveRelay } from '../../src/stately/serve-relay.ts';
import { ask, enter } from '../inspector/ask.ts';

/** A page that shows a session, with what its owner's browser has. */
async function serve() {
  const inspector = await serveJournal('a project', {});
  onTestFinished(() => inspector.close());
  inspector.warned('something of the session');
  const { page, cookie } = await enter(inspector.url);
  return { url: inspector.url, page, cookie };
}

type Served = Awaited<ReturnType<typeof serve>>;

/** All that there is to ask for: the door, the page, what it shows, its script. */
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
    'that asks from the origin %s',
    async (origin) => {
      await expectRefused(await serve(), { origin });
    },
  );

  test.each(['cross-site', 'same-site'])('that leads or embeds, %s', async (site) => {
    await expectRefused(await serve(), { 'sec-fetch-site': site });
  });

  test.each([
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '0.0.0.0',
    '[::1]',
  ])('whose name %s was made to lead here', async (name) => {
    const served = await serve();
    const { port } = new URL(served.url);
    await expectRefused(served, { host: `${name}:${port}` });
    const origin = `http://${name}:${port}`;
    await expectRefused(served, { host: `${name}:${port}`, origin });
  });

  test('that asks for more than to read', async () => {
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
    ['an empty one', '?token='],
    ['a wrong one', `?token=${'a'.repeat(32)}`],
    ['the name of a field', '?token=__proto__'],
  ])('with %s', async (_, query) => {
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

  test('with the beginning of the token, or with more than it', async () => {
    const served = await serve();
    for (const url of [served.url.slice(0, -1), `${served.url}a`])
      expect((await ask(url)).status).toBe(403);
  });

  test('with the cookie of another inspector', async () => {
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

test('the page that holds Stately’s is not shown under a name that was made to lead here', async () => {
  const relay = await serveRelay();
  onTestFinished(() => relay.close());
  relay.send('"something of the session"');
  const { port } = new URL(relay.url);
  for (const address of [relay.url, `${relay.url}messages`]) {
    const answer = await ask(address, { headers: { host: `evil.example:${port}` } });
    expect([answer.status, answer.body]).toEqual([403, '']);
  }
});
