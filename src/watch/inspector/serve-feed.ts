import type * as Approvals from './answer-approvals.ts';
import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { givenToken, refusalOf } from './admission.ts';
import type { ApprovalsSource } from './approvals-source.ts';
import { streamTo } from './journal-stream.ts';
import type { Feed } from './feed.ts';
import { HookmachineError } from '../../base/errors.ts';
import { limitStrangers, strictRequests } from './limit-strangers.ts';
import { readPageFiles } from './page-files.ts';

/** A page that is being served. */
export interface Inspector {
  /** The address of the page, with the token that opens it. */
  readonly url: string;
  /** Resolves when a page has received everything up to the end of the session or the recording. */
  readonly seen: Promise<void>;
  /**
   * Returns an address that opens the page once. It is safe to put on a command line, which others may read.
   */
  ticket(): string;
  /** Sends the rest to open pages, which stay readable, and stops serving. */
  close(): Promise<void>;
}

export interface ServeOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Whether the page keeps the process alive; default: false. */
  readonly holdsProcess?: boolean;
  /** The source of the approvals that the page lists and answers. The caller must close it. */
  readonly durable?: ApprovalsSource;
}

/** A responder to other requests on the same port, with the same token. */
export interface Beside {
  readonly token: string;
  /**
   * Answers a request if it is meant for this responder, and returns whether it was; `admit` is to be called
   * once the request has shown the token.
   */
  answers(
    request: IncomingMessage,
    response: ServerResponse,
    connection: { readonly port: number; readonly admit: () => void },
  ): boolean;
}

const closingMs = 1_000;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Serves the page of a feed, on this machine's loopback address only, to anyone who has the token. */
export async function serveFeed(
  feed: Feed,
  { port = 0, holdsProcess = false, durable }: ServeOptions = {},
  beside?: Beside,
): Promise<Inspector> {
  const files = await readPageFiles();
  const approvals = durable && (await import('./answer-approvals.ts'));
  const token = beside?.token ?? newToken();
  // Browsers send a cookie to every port of a host, but only to paths below its own.
  const folder = `/${randomBytes(6).toString('hex')}/`;
  const tickets = new Set<string>();
  const { stream, seen, streams } = streamsOf(feed);
  const page = {
    files,
    folder,
    token,
    tickets,
    stream,
    ...(approvals && durable && { approvals: { ...approvals, durable } }),
  };
  const server = createServer(strictRequests, (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    try {
      const admit = (): void => strangers.admit(request.socket);
      if (beside?.answers(request, response, { port: usedPort, admit })) return;
      answerPage({ ...page, port: usedPort, admit }, request, response);
    } catch {
      // The address cannot be parsed.
      refuse(response, 400, 'this request cannot be understood');
    }
  });
  const strangers = limitStrangers(server);
  // Like the server itself, an open page must not keep the process alive.
  if (!holdsProcess) server.on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portError(port, error)));
    server.listen({ port, host: '127.0.0.1', backlog: strangers.backlog }, resolve);
  });
  const { port: usedPort } = server.address() as AddressInfo;
  if (!holdsProcess) server.unref();

  const address = (key: string): string => `http://127.0.0.1:${usedPort}/?token=${key}`;
  return {
    url: address(token),
    seen,
    ticket() {
      const ticket = newToken();
      tickets.add(ticket);
      return address(ticket);
    },
    async close() {
      feed.end();
      await settledWithin(closingMs, Promise.all(streams));
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The streams of a feed: the promise `seen` resolves once one of them has sent the whole journal. */
function streamsOf(feed: Feed) {
  const streams = new Set<Promise<unknown>>();
  let tellSeen: () => void;
  const seen = new Promise<void>((resolve) => (tellSeen = resolve));
  const follow = async (stream: Promise<boolean>): Promise<void> => {
    const isWhole = await stream;
    streams.delete(stream);
    if (isWhole) tellSeen();
  };
  const stream = (response: ServerResponse, from: URLSearchParams): void => {
    const sending = streamTo(response, feed, fromOf(from));
    streams.add(sending);
    void follow(sending);
  };
  return { streams, seen, stream };
}

/** Waits for some work, but no longer than this. */
async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, tooLate]);
  clearTimeout(timer);
}

/** What is needed to answer a request for the page. */
interface Page {
  readonly files: Awaited<ReturnType<typeof readPageFiles>>;
  readonly folder: string;
  readonly token: string;
  /** Tokens that admit once. */
  readonly tickets: Set<string>;
  readonly approvals?: typeof Approvals & {
    readonly durable: NonNullable<ServeOptions['durable']>;
  };
  readonly port: number;
  /** Called once a request has shown the token. */
  readonly admit: () => void;
  /** Answers with the journal, from the place that the request names. */
  readonly stream: (response: ServerResponse, from: URLSearchParams) => void;
}

function answerPage(page: Page, request: IncomingMessage, response: ServerResponse): void {
  const { folder, token, approvals, port } = page;
  const cookie = `hookmachine-${port}`;
  const given = givenToken(request);
  const isTicket = given !== undefined && page.tickets.delete(given);
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const name = pathname.startsWith(folder) ? pathname.slice(folder.length) : undefined;
  const asked = name === undefined ? undefined : approvals?.approvalPaths.get(name);
  const method = asked ?? 'GET';
  const refusal = refusalOf(request, { token: isTicket ? given : token, port, cookie, method });
  if (refusal) {
    const more = refusal.status === 405 ? { allow: method } : {};
    return refuse(response, refusal.status, refusal.reason, more);
  }
  page.admit();
  if (given !== undefined)
    return void response
      .writeHead(303, {
        location: folder,
        'set-cookie': `${cookie}=${token}; Path=${folder}; HttpOnly; SameSite=Strict`,
      })
      .end();
  if (name === undefined) return refuse(response, 404, 'there is no such page');
  if (asked && approvals)
    return void approvals.answerAboutApprovals(approvals.durable, name, request, response);
  if (name === 'journal') return page.stream(response, searchParams);
  const file = page.files.get(name);
  if (!file) return refuse(response, 404, 'there is no such page');
  response.writeHead(200, { 'content-type': file.type }).end(file.body);
}

/** Makes a token that cannot be guessed. */
export const newToken = (): string => randomBytes(24).toString('base64url');

/** Refuses a request, with the reason on one line. */
export function refuse(
  response: ServerResponse,
  status: number,
  reason: string,
  more: OutgoingHttpHeaders = status === 405 ? { allow: 'GET' } : {},
): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
      ...more,
    })
    .end(`hookmachine: ${reason}\n`);
}

/** Returns the number to continue with: the one after the last that the page has. */
function fromOf(parameters: URLSearchParams): number {
  const after = parameters.get('after') ?? '';
  return /^\d{1,15}$/.test(after) ? Number(after) + 1 : 1;
}

function portError(port: number, cause: NodeJS.ErrnoException): Error {
  const why =
    cause.code === 'EADDRINUSE'
      ? 'is in use'
      : cause.code === 'EACCES'
        ? 'may not be used'
        : `cannot be used (${cause.message})`;
  return new HookmachineError(
    'PORT_UNAVAILABLE',
    `port ${port} ${why}: choose another one, or none, and a free one will be taken`,
    { cause },
  );
}
