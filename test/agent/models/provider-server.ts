import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as it arrived. */
export interface Arrived {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  // oxlint-disable-next-line typescript/no-explicit-any -- each provider has its own
  readonly body: any;
}

export type Respond = (response: ServerResponse, arrived: Arrived) => void;

/** Starts a provider on this machine, which runs until the test ends. */
export async function providerServer(respond: Respond) {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) server.emit('hungUp');
    });
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const { url = '', headers } = request;
      const one = { url, headers, body: JSON.parse(text) as unknown };
      arrived.push(one);
      respond(response, one);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    /** Settles when a client hangs up before its answer is complete. */
    hungUp: once(server, 'hungUp'),
  };
}

/** Sends events as they are and leaves the response open. */
export function stream(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(event);
}

/** Answers with these events. */
export const streaming =
  (events: readonly string[]): Respond =>
  (response) => {
    stream(response, events);
    response.end();
  };

/** Sends these events, then cuts the connection. */
export const breakingOff =
  (events: readonly string[]): Respond =>
  (response) => {
    stream(response, events);
    setTimeout(() => response.destroy(), 50);
  };

/** Sends these events, then stalls. */
export const stalling =
  (events: readonly string[]): Respond =>
  (response) =>
    stream(response, events);

export const failing =
  (status: number, body: object | string): Respond =>
  (response) => {
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' });
    response.end(isText ? body : JSON.stringify(body));
  };

/** A URL at which no server listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}
