import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Feed } from '../../../src/watch/inspector/feed.ts';
import type { HistoryLimits } from '../../../src/watch/inspector/history.ts';
import { serveFeed } from '../../../src/watch/inspector/serve-feed.ts';
import type { JournalEntry } from '../../../src/watch/journal/entry.ts';
import { ask, enter } from './ask.ts';
import { waitUntil } from '../../support/until.ts';

const warned = (text: string): JournalEntry => ({ kind: 'warned', at: 1, text });

async function serve(limits?: HistoryLimits) {
  const feed = new Feed({ source: 'live', title: 'a test', payloads: false }, limits);
  const inspector = await serveFeed(feed);
  onTestFinished(() => inspector.close());
  return { feed, inspector, ...(await enter(inspector.url)) };
}

/** Reads the journal until it is stopped. */
async function read(page: string, cookie: string, after = 0) {
  const response = await new Promise<IncomingMessage>((resolve) =>
    request(`${page}journal?after=${after}`, { headers: { cookie }, agent: false }, resolve).end(),
  );
  onTestFinished(() => void response.destroy());
  const seen = { text: '', ended: false };
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => (seen.text += chunk));
  response.on('end', () => (seen.ended = true));
  return { response, seen };
}

/** Waits until something was read, however slow the machine is. */
const waitFor = (isSo: () => boolean): Promise<boolean> => waitUntil(isSo);

const textsIn = (stream: string): string[] =>
  [...stream.matchAll(/"text":"(.+?)"/g)].map(([, text]) => text!);

/** test/attacks/inspector.test.ts shows who is kept out. */
describe('access to the page', () => {
  test('the printed address leads to the page, and its token does not stay in the address', async () => {
    const { page, cookie, inspector } = await serve();
    expect(new URL(inspector.url).hostname).toBe('127.0.0.1');
    expect(new URL(inspector.url).searchParams.get('token')!.length).toBeGreaterThanOrEqual(22);
    expect(page).not.toContain('token');
    const { status, body } = await ask(page, { headers: { cookie } });
    expect(status).toBe(200);
    expect(body).toContain('<title>hookmachine inspector</title>');
  });

  test('the host name "localhost" is accepted too', async () => {
    const { inspector } = await serve();
    const { host } = new URL(inspector.url);
    const headers = { host: host.replace('127.0.0.1', 'localhost') };
    expect((await ask(inspector.url, { headers })).status).toBe(303);
  });

  test.each([
    '../package.json',
    '../../../package.json',
    '%2e%2e/package.json',
    'page.css/../../../../package.json',
    'nope',
  ])('no file outside the page is served: %s', async (name) => {
    const { page, cookie } = await serve();
    const path = `${new URL(page).pathname}${name}`;
    const { status } = await ask(page, { headers: { cookie }, path });
    expect(status).toBe(404);
  });

  test('every response forbids what the page does not need', async () => {
    const { page, cookie } = await serve();
    for (const name of ['', 'main.js', 'page.css', 'diagrams/tool-call.svg', 'nope']) {
      const { headers } = await ask(`${page}${name}`, { headers: { cookie } });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; .*frame-ancestors 'none'/,
        ),
      });
    }
  });
});

describe('the journal of the page', () => {
  test('a page receives the history first, then new entries', async () => {
    const { feed, page, cookie } = await serve();
    feed.write(warned('before'));
    const { seen } = await read(page, cookie);
    await waitFor(() => seen.text.includes('before'));
    feed.write(warned('after'));
    await waitFor(() => seen.text.includes('after'));
    expect(textsIn(seen.text)).toEqual(['before', 'after']);
  });

  test('a page that reconnects continues after its last entry, without duplicates', async () => {
    const { feed, page, cookie } = await serve();
    for (const text of ['a', 'b', 'c']) feed.write(warned(text));
    const { seen } = await read(page, cookie, 2);
    await waitFor(() => seen.text.includes('"last":3'));
    expect(textsIn(seen.text)).toEqual(['c']);
  });

  test('a page that opens late learns how many entries were dropped', async () => {
    const { feed, page, cookie } = await serve({ entries: 2, bytes: 1_000 });
    for (const text of ['a', 'b', 'c', 'd']) feed.write(warned(text));
    const { seen } = await read(page, cookie);
    await waitFor(() => seen.text.includes('"last":4'));
    expect(seen.text).toContain('{"skipped":2}\n');
    expect(textsIn(seen.text)).toEqual(['c', 'd']);
  });

  test('for a page that does not read nothing is buffered, only its position is kept', async () => {
    const { feed, page, cookie } = await serve({ entries: 50, bytes: 1_000_000 });
    const { response, seen } = await read(page, cookie);
    response.pause();
    const long = 'x'.repeat(10_000);
    for (let i = 0; i < 5_000; i++) {
      feed.write(warned(`${i} ${long}`));
      if (i % 50 === 0) await new Promise((resolve) => void setImmediate(resolve));
    }
    response.resume();
    await waitFor(() => seen.text.includes('"text":"4999 '));
    // 50 MB were written, most of them while nobody was reading.
    expect(seen.text.length).toBeLessThan(25_000_000);
    expect(seen.text).toContain('{"skipped":');
  });

  test('the end is reported last, and ends the stream', async () => {
    const { feed, page, cookie } = await serve();
    const { seen } = await read(page, cookie);
    feed.write(warned('last words'));
    feed.end();
    await waitFor(() => seen.ended);
    expect(seen.text.indexOf('last words')).toBeLessThan(seen.text.indexOf('"ended":true'));
    const again = await read(page, cookie);
    await waitFor(() => again.seen.ended);
    expect(again.seen.text).toContain('"ended":true');
  });

  test('closing the inspector sends the rest to open pages', async () => {
    const { feed, inspector, page, cookie } = await serve();
    const { seen } = await read(page, cookie);
    for (let i = 0; i < 5_000; i++) feed.write(warned(`w${i}`));
    await inspector.close();
    await waitFor(() => seen.ended);
    expect(seen.text).toContain('w4999');
  });
});

describe('ports', () => {
  test('a port in use is reported as one clear error', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const feed = new Feed({ source: 'live', title: '', payloads: false });
    await expect(serveFeed(feed, { port })).rejects.toThrow(
      `port ${port} is in use: choose another one, or none, and a free one will be taken`,
    );
  });

  test('two inspectors work side by side, and the cookie of one does not open the other', async () => {
    const one = await serve();
    const two = await serve();
    one.feed.write(warned('one'));
    two.feed.write(warned('two'));
    const { seen } = await read(two.page, `${one.cookie}; ${two.cookie}`);
    await waitFor(() => seen.text.includes('two'));
    expect(seen.text).not.toContain('"text":"one"');
    expect((await ask(two.page, { headers: { cookie: one.cookie } })).status).toBe(403);
  });
});
