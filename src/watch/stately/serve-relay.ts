import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitStrangers, strictRequests } from '../inspector/limit-strangers.ts';
import type { Connection } from './connect.ts';
import { relayPage, statelyOrigin } from './relay-page.ts';

/** A page of our own that embeds Stately's. */
export interface Relay extends Connection {
  readonly url: string;
}

/**
 * How many characters of messages are kept for a page that is opened late; when older ones are dropped,
 * actors may lack their machines.
 */
const mostKept = 64_000_000;

/** How many bytes may be queued for a page that reads too slowly. */
const mostWaiting = 2 * mostKept;

/**
 * Serves the page on the loopback address only, to anyone who has the token. The server does not keep the
 * process alive.
 */
export async function serveRelay(): Promise<Relay> {
  const folder = `/${randomBytes(24).toString('base64url')}/`;
  let kept: string[] = [];
  let size = 0;
  const pages = new Set<ServerResponse>();

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('cache-control', 'no-store');
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('x-content-type-options', 'nosniff');
    // The host name of a request shows whether another site uses a name of its own that leads here.
    const isOurs = [`127.0.0.1:${port}`, `localhost:${port}`].includes(request.headers.host ?? '');
    if (!isOurs || request.method !== 'GET') return refuse(response, 403);
    // The path is the token.
    if (!request.url?.startsWith(folder)) return refuse(response, 404);
    strangers.admit(request.socket);
    if (request.url === folder) return sendPage(response, folder);
    if (request.url === `${folder}messages`) return stream(response);
    refuse(response, 404);
  };
  const stream = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    response.on('close', () => pages.delete(response));
    response.on('error', () => undefined);
    response.write(kept.join(''));
    pages.add(response);
  };

  const server = createServer(strictRequests, answer);
  const strangers = limitStrangers(server);
  server.on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1', backlog: strangers.backlog }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  server.unref();

  return {
    url: `http://127.0.0.1:${port}${folder}`,
    send(message) {
      const text = `data: ${message}\n\n`;
      kept.push(text);
      size += text.length;
      if (size > mostKept) {
        kept = kept.slice(Math.ceil(kept.length / 2));
        size = kept.reduce((sum, { length }) => sum + length, 0);
      }
      for (const page of pages)
        if (page.writableLength > mostWaiting) page.destroy();
        else page.write(text);
    },
    close() {
      for (const page of pages) page.end();
      server.close();
      strangers.end();
    },
  };
}

/** Sends the page of the relay in this folder. */
function sendPage(response: ServerResponse, folder: string): void {
  const nonce = randomBytes(12).toString('base64url');
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; frame-src ${statelyOrigin}; frame-ancestors 'none'; base-uri 'none'`;
  response
    .writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    })
    .end(relayPage(`${folder}messages`, nonce));
}

const refuse = (response: ServerResponse, status: number): void =>
  void response.writeHead(status, { connection: 'close' }).end();
