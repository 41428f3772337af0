import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { decompress } from 'fzstd';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { isRecord, isTooDeep, mostBytes, inTable } from '../../base/json.ts';
import { messageOf } from '../../base/message-of.ts';
import { requestBody } from '../../base/request-body.ts';
import {
  expectSettlement,
  free,
  freeAll,
  settle,
  warningsFor,
  type Budget,
} from '../../guards/budget/judge-budget.ts';
import type { UsageEntry } from '../../guards/budget/ledger.ts';
import { noteHiding } from '../../guards/hidden-elsewhere.ts';
import { tokensOf } from '../../guards/budget/usage.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { foreignIn, isSame } from '../../watch/inspector/admission.ts';
import { Client } from './client.ts';
import { exchange } from './exchange.ts';
import { formatOf } from './formats/all.ts';
import type { Fields, ModelFormat } from './formats/format.ts';
import { parsed } from './formats/shared.ts';
import { forward } from './forward.ts';
import { Cloak } from './secrets/cloak.ts';
import { sessionOf } from './session-of.ts';
import { addressOf, type Upstreams } from './upstreams.ts';

/** How a gateway works. */
export interface GatewayOptions {
  readonly config: HookSystemConfig;
  /** What an address must contain to be answered. */
  readonly token: string;
  readonly port?: number;
  readonly upstreams: Upstreams;
  /** Whether secrets are taken out of requests. */
  readonly hidesSecrets: () => boolean;
  /** Whether it ends with the one agent that asks it, so that results of tools may be left to it. */
  readonly isOfOneAgent?: boolean;
  /** The budget of the settings; undefined if they have none. */
  readonly budget: () => Budget | undefined;
  readonly warn: (line: string) => void;
  /** Receives each request as its provider gets it, and then its answer; by default nobody does. */
  readonly onExchange?: (call: number, what: 'request' | 'answer', body: string) => void;
  /** Called with what each model call used. */
  readonly onUsage?: (entry: UsageEntry) => void;
}

/** A gateway that listens. */
export interface Gateway {
  /** The address, with its token, to which the name of a provider is added. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * A proxy on this machine that runs the hooks around model calls of agents that have none.
 *
 * @throws if the port is taken
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const gateway = new Listening(options);
  expectSettlement();
  const server = createServer((request, response) => void gateway.answer(request, response));
  // Agents that try a WebSocket first go on over HTTP.
  server.on('upgrade', (_: IncomingMessage, socket: Socket) => {
    socket.end('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  // A model may think for longer than Node.js lets a request take.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  gateway.port = port;
  return {
    url: `http://127.0.0.1:${port}/${options.token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** How many sessions' secrets are kept. */
const mostSessions = 200;

class Listening {
  readonly #options: GatewayOptions;
  /** A session that agents who name none belong to. */
  readonly #ownSession = randomUUID();
  readonly #cloaks = new Map<string, Cloak>();
  readonly #told = new Map<string, number>();
  /** The sessions that hold placeholders of an earlier run. */
  readonly #unknown = new Set<string>();
  /** How many calls of each session are being made. */
  readonly #begun = new Map<string, number>();
  #calls = 0;
  port = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Answers a request. Never throws. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const abort = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) abort.abort(new Error('the agent went away'));
    });
    try {
      await this.#answer(request, response, abort.signal);
    } catch (error) {
      if (abort.signal.aborted || response.headersSent) response.destroy();
      else refuse(response, 502, messageOf(error));
    }
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const [, token = '', name = '', path = ''] =
      /^\/([^/?]*)(?:\/([^/?]*))?([/?].*)?$/.exec(request.url ?? '') ?? [];
    const foreign = foreignIn(request, this.port);
    if (foreign !== undefined) return refuse(response, 403, foreign);
    if (!isSame(token, this.#options.token))
      return refuse(response, 403, 'the token in the address is missing or not the right one');
    const url = addressOf(this.#options.upstreams, name, path, request.headers);
    if (url === undefined)
      return refuse(response, 404, `there is no provider "${name}": use ${Object.keys(this.#options.upstreams).join(', ')}, or name it with --provider`); // prettier-ignore
    const format = formatOf(request.method, url);
    if (format === undefined) return this.#passOn({ url, request, response, signal });
    return this.#modelCall(format, { url, request, response, signal });
  }

  /** Passes on what is no model call. What counts a conversation's tokens or shortens it holds its secrets too. */
  async #passOn({ url, ...answering }: Answering & { readonly url: string }): Promise<void> {
    const { request, response } = answering;
    const isJson = /json/i.test(request.headers['content-type'] ?? '');
    if (!isJson || !this.#options.hidesSecrets()) return passOn(url, answering);
    const body = await requestBody(request, mostBytes);
    const bytes = body && unpacked(body, request.headers['content-encoding']);
    const text = bytes?.toString() ?? '';
    const fields = isTooDeep(text) ? undefined : parsed(text);
    if (bytes === undefined || (fields === undefined && text !== ''))
      return refuse(
        response,
        400,
        'the request cannot be read, so its secrets cannot be taken out',
      );
    const session = isRecord(fields) ? sessionOf(request.headers, fields) : undefined;
    const cloak = this.#cloakOf(session ?? this.#ownSession);
    const hidden = cloak.hide(fields);
    await passOn(url, {
      ...answering,
      body: hidden === fields ? bytes : Buffer.from(JSON.stringify(hidden)),
    });
    this.#tellSecrets(session ?? this.#ownSession, cloak, url);
  }

  async #modelCall(
    format: ModelFormat,
    { url, request, response, signal }: Answering & { readonly url: string },
  ): Promise<void> {
    const client = new Client(response, format);
    const body = await requestBody(request, mostBytes);
    if (body === undefined) return client.fail(413, 'hookmachine gateway: the request is larger than 64 MiB'); // prettier-ignore
    const bytes = unpacked(body, request.headers['content-encoding']);
    const text = bytes?.toString() ?? '';
    const fields = isTooDeep(text) ? undefined : parsed(text);
    if (bytes === undefined || !isRecord(fields))
      return client.fail(400, 'hookmachine gateway: the request cannot be read, so no hook can judge it; it must be a JSON object of at most 1,000 levels, plain or packed with gzip, deflate, brotli or zstd'); // prettier-ignore
    const session = sessionOf(request.headers, fields) ?? this.#ownSession;
    const cloak = this.#options.hidesSecrets() ? this.#cloakOf(session) : undefined;
    if (cloak && this.#options.isOfOneAgent === true) noteHiding(session);
    const call = ++this.#calls;
    const { onExchange } = this.#options;
    let [isSent, isSettled] = [false, false];
    this.#begun.set(session, (this.#begun.get(session) ?? 0) + 1);
    await exchange(
      { request, body: bytes, fields, format, url, session, cloak, signal },
      this.#options.config,
      client,
      {
        warn: this.#options.warn,
        sent: (sent) => {
          isSent = true;
          onExchange?.(call, 'request', sent.toString());
        },
        answered: async (answer, model) => {
          isSettled = true;
          const written = textOf(answer);
          onExchange?.(call, 'answer', written);
          const lengths = { input: tokensIn(bytes.length), output: tokensIn(written.length) };
          await this.#settle(format, { answer, model, session, lengths });
        },
      },
    );
    this.#ended(session, isSent && !isSettled);
    this.#tellSecrets(session, cloak, url);
  }

  /** Frees what was reserved for a call of which nobody knows what it used, or for calls that were never sent. */
  #ended(session: string, isUnknown: boolean): void {
    const left = (this.#begun.get(session) ?? 1) - 1;
    if (left > 0) this.#begun.set(session, left);
    else this.#begun.delete(session);
    if (left === 0) freeAll(session);
    else if (isUnknown) free(session);
  }

  #cloakOf(session: string): Cloak {
    const known = this.#cloaks.get(session) ?? new Cloak();
    // The session that was used last is the last to be forgotten.
    this.#cloaks.delete(session);
    this.#cloaks.set(session, known);
    for (const oldest of this.#cloaks.keys()) {
      if (this.#cloaks.size <= mostSessions) break;
      this.#cloaks.delete(oldest);
    }
    return known;
  }

  /** Notes what a call used; where the provider does not say, about as much as its texts are long. */
  async #settle(
    format: ModelFormat,
    {
      answer,
      model,
      session,
      lengths,
    }: {
      readonly answer: Fields;
      readonly model: string;
      readonly session: string;
      readonly lengths: Pick<UsageEntry, 'input' | 'output'>;
    },
  ): Promise<void> {
    const told = format.answer.usage(answer);
    const usage = told && tokensOf(told) > 0 ? told : { model, ...lengths };
    const id = answer['id'] ?? answer['responseId'];
    const budget = this.#options.budget();
    try {
      const entry = await settle(
        {
          ...usage,
          model: usage.model || model,
          session,
          via: 'gateway',
          ...(typeof id === 'string' && id !== '' && { id }),
        },
        budget?.prices ?? {},
      );
      this.#options.onUsage?.(entry);
      for (const warning of budget ? warningsFor(budget, entry) : [])
        this.#options.warn(`guards/budget: ${warning}`);
    } catch (error) {
      this.#options.warn(`what a model call used could not be noted: ${messageOf(error)}`);
    }
  }

  #tellSecrets(session: string, cloak: Cloak | undefined, url: string): void {
    const { size = 0, hasUnknown = false } = cloak ?? {};
    if (hasUnknown && !this.#unknown.has(session)) {
      this.#unknown.add(session);
      this.#options.warn(
        'guards/secrets: this conversation holds placeholders of an earlier run, whose values are not known any more, so they cannot be put back: begin a new session',
      );
    }
    const before = this.#told.get(session) ?? 0;
    if (size <= before) return;
    this.#told.set(session, size);
    this.#options.warn(
      `guards/secrets: ${size - before} more ${size - before === 1 ? 'secret was' : 'secrets were'} replaced in what goes to ${new URL(url).host}`,
    );
  }
}

interface Answering {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

const tokenLength = 4;

const tokensIn = (length: number): number => Math.ceil(length / tokenLength);

/** An answer as JSON; '' if a model nested it so deep that it cannot be written. */
function textOf(answer: Fields): string {
  try {
    return JSON.stringify(answer);
  } catch {
    return '';
  }
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: `hookmachine gateway: ${why}` } }));
}

/** Passes on a request as it is, or with a body that was read here. */
async function passOn(
  url: string,
  { request, response, signal, body }: Answering & { readonly body?: Buffer },
): Promise<void> {
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const answer = await forward(url, request, {
    body: body ?? (hasBody ? request : undefined),
    signal,
    isRead: body !== undefined,
  });
  response.writeHead(answer.status, answer.headers);
  for await (const chunk of answer.body as AsyncIterable<Buffer>)
    if (!response.write(chunk))
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  response.end();
}

const unpackers = {
  identity: (body: Buffer) => body,
  gzip: (body: Buffer) => gunzipSync(body, { maxOutputLength: mostBytes }),
  deflate: (body: Buffer) => inflateSync(body, { maxOutputLength: mostBytes }),
  // Codex packs so for subscribers; Node.js can undo it only from version 22.15 on.
  zstd: (body: Buffer) => Buffer.from(decompress(body)),
  br: (body: Buffer) => brotliDecompressSync(body, { maxOutputLength: mostBytes }),
} as const;

/** A body as it was before it was packed; undefined if that cannot be undone here. */
function unpacked(body: Buffer, encoding = 'identity'): Buffer | undefined {
  try {
    return inTable(unpackers, encoding.toLowerCase())?.(body);
  } catch {
    return undefined;
  }
}
