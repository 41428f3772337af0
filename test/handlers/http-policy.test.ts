import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HandlerOf } from '../../src/handlers/handler.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { answerOf, type Options, runHandler } from './run-handler.ts';

type Respond = (response: ServerResponse, request: IncomingMessage, count: number) => void;

/** Lets a server on this machine listen until the test ends. */
async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => close(server));
  return (server.address() as AddressInfo).port;
}

function close(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** A server that answers, and counts the events that it received. */
async function policy(respond: Respond) {
  const seen = { count: 0, headers: [] as IncomingMessage['headers'][] };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      seen.headers.push(request.headers);
      respond(response, request, ++seen.count);
    });
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}/`, seen, server };
}

const ask = (url: string, more: Partial<HandlerOf<'http'>> = {}, options?: Options) =>
  answerOf(url, { kind: 'http', ...more }, options);

const saying =
  (headers: Record<string, string>): Respond =>
  (response, _, count) =>
    void response.writeHead(200, headers).end(JSON.stringify({ count }));

const event = (more: object = {}) => ({ input: { tool: 'x', timestamp: 'now', ...more } });

describe('answers that the server allows to be kept', () => {
  test('a kept answer counts for the same event at another time, and for no other event', async () => {
    const { url, seen } = await policy(saying({ 'cache-control': 'private, max-age=600' }));
    expect(await ask(url, {}, event())).toEqual({ count: 1 });
    expect(await ask(url, {}, event({ timestamp: 'later' }))).toEqual({ count: 1 });
    expect(await ask(url, {}, event({ tool: 'y' }))).toEqual({ count: 2 });
    expect(await ask(url, { headers: { 'X-User': 'ann' } }, event())).toEqual({ count: 3 });
    expect(seen.count).toBe(3);
  });

  test.each([
    {},
    { 'cache-control': 'no-store, max-age=600' },
    { 'cache-control': 'no-cache, max-age=600' },
    { 'cache-control': 'max-age=0' },
    { 'cache-control': 'max-age=600', age: '600' },
    { 'cache-control': 'max-age=600', vary: '*' },
    { expires: '0' },
    { etag: '"x"', 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' },
  ] as Record<string, string>[])('an answer with the headers %j is not kept', async (headers) => {
    const { url } = await policy(saying(headers));
    for (const count of [1, 2]) expect(await ask(url, {}, event())).toEqual({ count });
  });

  test('a failure is not kept', async () => {
    const { url } = await policy((response, _, count) =>
      response
        .writeHead(count === 1 ? 500 : 200, { 'cache-control': 'max-age=600' })
        .end('{"is":"fine"}'),
    );
    expect(await ask(url, {}, event())).toContain('status 500');
    expect(await ask(url, {}, event())).toEqual({ is: 'fine' });
  });
});

describe('a server that is unavailable', () => {
  test('an unavailable server is asked again as often as the settings say', async () => {
    const { url, seen } = await policy((response, _, count) =>
      response.writeHead(count < 3 ? 503 : 200).end(count < 3 ? '' : '{"is":"back"}'),
    );
    expect(await ask(url, { retries: 2 })).toEqual({ is: 'back' });
    expect(seen.count).toBe(3);
  });

  test('an unavailable server fails the hook when the retries are used up, and at once without retries', async () => {
    const { url, seen } = await policy((response) => response.writeHead(502).end());
    expect(await ask(url, { retries: 1 })).toContain('status 502');
    expect(seen.count).toBe(2);
    expect(await ask(url)).toContain('status 502');
    expect(seen.count).toBe(3);
  });

  test('a server that hangs up is asked again', async () => {
    const { url, seen } = await policy((response, _, count) =>
      count === 1 ? response.destroy() : response.end('{"is":"back"}'),
    );
    expect(await ask(url, { retries: 1 })).toEqual({ is: 'back' });
    expect(seen.count).toBe(2);
  });

  test('a server that refuses a request is not asked again', async () => {
    const { url, seen } = await policy((response) => response.writeHead(403).end());
    expect(await ask(url, { retries: 5 })).toContain('status 403');
    expect(seen.count).toBe(1);
  });

  test('an unavailable server is not waited for beyond the deadline, nor for hours if it asks for that', async () => {
    const { url, seen } = await policy((response) =>
      response.writeHead(503, { 'retry-after': '3600' }).end(),
    );
    expect(await ask(url, { retries: 5 })).toContain('status 503');
    expect(seen.count).toBe(1);
    const patient = await policy((response) =>
      response.writeHead(503, { 'retry-after': '5' }).end(),
    );
    const outcome = runHandler(patient.url, { kind: 'http', retries: 5 }, { timeout: 300 });
    expect(await outcome).toMatchObject({ status: 'timedOut' });
    expect(patient.seen.count).toBe(1);
  });

  test('the last answer of an unavailable server counts, with a note, if the server allowed it, and otherwise the hook fails', async () => {
    const stale = await policy(saying({ 'cache-control': 'max-age=1, stale-if-error=600' }));
    const fresh = await policy(saying({ 'cache-control': 'max-age=1' }));
    for (const { url } of [stale, fresh]) expect(await ask(url)).toEqual({ count: 1 });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 });
    onTestFinished(() => void vi.useRealTimers());
    for (const { server } of [stale, fresh]) close(server);
    expect(await runHandler(stale.url, { kind: 'http' })).toMatchObject({
      status: 'exited',
      exit: {
        stdout: '{"count":1}',
        notes: [expect.stringMatching(/ECONNREFUSED.*its last answer is reused, as it permitted/)],
      },
    });
    expect(await ask(fresh.url)).toContain('ECONNREFUSED');
  });
});

describe('a token in a file', () => {
  test('a token is read from its file for each request', async () => {
    const cwd = tempFolder();
    const { url, seen } = await policy(saying({}));
    for (const token of ['one', 'two']) {
      writeFileSync(join(cwd, 'token'), `${token}\n`);
      await ask(url, { tokenFile: 'token' }, { cwd });
    }
    expect(seen.headers.map(({ authorization }) => authorization)).toEqual([
      'Bearer one',
      'Bearer two',
    ]);
  });

  test.each([
    ['does not exist', (): void => undefined, 'cannot be read (ENOENT)'],
    ['is empty', (file: string) => writeFileSync(file, '\n'), 'must hold one token'],
    [
      'holds more than a token',
      (file: string) => writeFileSync(file, 'a\r\nX: b'),
      'must hold one token',
    ],
    ['is a folder', (file: string) => mkdirSync(file), 'is not a file'],
    ['is too long', (file: string) => writeFileSync(file, 'x'.repeat(70_000)), 'is too long'],
  ])(
    'a token file that %s is a failure that names the file, and nothing is sent',
    async (_, put, said) => {
      const cwd = tempFolder();
      const { url, seen } = await policy(saying({}));
      put(join(cwd, 'token'));
      const answer = await ask(url, { tokenFile: 'token' }, { cwd });
      expect(answer).toContain(`${join(cwd, 'token')} ${said}`);
      expect(seen.count).toBe(0);
    },
  );

  test('a header of a system hook does not use a variable that only the environment sets', async () => {
    vi.stubEnv('SPOOFED', 'x');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { url, seen } = await policy(saying({}));
    const more = { headers: { 'X-A': '$SPOOFED' }, allowedEnv: ['SPOOFED'] };
    expect(await ask(url, more, { isClean: true })).toContain('SPOOFED, which is not set');
    expect(seen.count).toBe(0);
  });
});

/** Certificates from the test's own authority: `ca`, and those of `server` and `client` with their keys. */
function certificates(): string {
  const folder = tempFolder();
  const run = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  run('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=ca', '-days', '2'); // prettier-ignore
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1');
  for (const name of ['server', 'client']) {
    run('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    run('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-out', `${name}.pem`, '-days', '2', '-extfile', 'names'); // prettier-ignore
  }
  return folder;
}

describe.skipIf(!existsSync('/usr/bin/openssl'))('TLS in both directions', () => {
  test('a TLS connection proves who asks, trusts only the named authority, and is not weakened by the environment', async () => {
    const cwd = certificates();
    const pem = (name: string) => readFileSync(join(cwd, name));
    const asked: string[] = [];
    const server = createSecureServer(
      { key: pem('server.key'), cert: pem('server.pem'), ca: pem('ca.pem'), requestCert: true },
      (request, response) => {
        const { subject } = (request.socket as TLSSocket).getPeerCertificate();
        asked.push(String(subject?.CN));
        response.end('{"is":"there"}');
      },
    );
    const url = `https://127.0.0.1:${await listen(server)}/`;
    const tls = { ca: 'ca.pem', cert: 'client.pem', key: 'client.key' };
    expect(await ask(url, { tls }, { cwd })).toEqual({ is: 'there' });
    expect(asked).toEqual(['client']);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await ask(url)).toMatch(/unable to|self.signed/);
    expect(await ask(url, { tls: { ca: 'client.pem' } }, { cwd })).toMatch(/unable to|self.signed/);
    expect(await ask(url, { tls: { ca: 'gone.pem' } }, { cwd })).toContain(
      'gone.pem cannot be read',
    );
    expect(asked).toHaveLength(1);
  });
});
