import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../base/message-of.ts';
import { httpRequest, type HttpRequest } from './http-request.ts';
import { linesOf } from './lines.ts';
import {
  isAnswer,
  isRequest,
  keyOf,
  type Message,
  messageWith,
  objectIn,
  readLine,
} from './message.ts';
import { eventsOf } from './server-events.ts';
import type { Server, ServerEnd } from './server.ts';
import { drained } from './streams.ts';

/** How many times in a row resuming a broken stream may fail. */
const mostAttempts = 5;

/** The delay before a stream is resumed, in ms, if the server gives none; it doubles with each failure. */
const firstDelay = 1_000;

/** How long the server may take to forget the session, in ms. */
const closingLimit = 1_000;

export interface ConnectOptions {
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Receives errors that no waiting request can be answered with. */
  readonly warn: (text: string) => void;
}

/** Reaches a server over Streamable HTTP. */
export const connectServer = (url: URL, options: ConnectOptions): Server =>
  new HttpServer(url, options);

class HttpServer implements Server {
  readonly lines: AsyncIterable<Buffer>;
  readonly ended: Promise<ServerEnd>;
  readonly #url: URL;
  readonly #options: ConnectOptions;
  readonly #received = new PassThrough();
  readonly #abort = new AbortController();
  readonly #closing = new AbortController();
  readonly #posting = new Set<Promise<void>>();
  #turn: Promise<void> = Promise.resolve();
  #session: Record<string, string> = {};
  #isEnding = false;
  #settle!: (end: ServerEnd) => void;

  constructor(url: URL, options: ConnectOptions) {
    this.#url = url;
    this.#options = options;
    this.lines = linesOf(this.#received);
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  send(line: Buffer): void {
    const { messages } = readLine(line);
    const requests = messages.filter(isRequest);
    const posted = this.#turn.then(() => this.#post(line, requests));
    const kept = posted.finally(() => this.#posting.delete(kept));
    this.#posting.add(kept);
    // Nothing overtakes a message that gets no answer; requests are answered whenever the server likes.
    const isFirst = requests.some(({ value }) => value['method'] === 'initialize');
    if (requests.length === 0 || isFirst) this.#turn = posted;
    const isReady = messages.some(({ value }) => value['method'] === 'notifications/initialized');
    if (isReady) void posted.then(() => this.#listen());
  }

  async drained(): Promise<void> {
    await this.#turn;
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    void Promise.all(this.#posting).then(() => this.#close());
  }

  terminate(): void {
    this.#isEnding = true;
    this.#abort.abort();
    void this.#close();
  }

  kill(): void {
    this.#closing.abort();
  }

  /** Posts a line. Never rejects: each request in it is answered in any case. */
  async #post(line: Buffer, requests: readonly Message[]): Promise<void> {
    const open = new Map(requests.map(({ value }) => [keyOf(value['id']), value['id']]));
    try {
      const response = await this.#ask({ method: 'POST', body: line });
      const { 'mcp-session-id': sessionId } = response.headers;
      if (typeof sessionId === 'string') this.#session['mcp-session-id'] = sessionId;
      await this.#takeResponse(response, open);
      if (open.size > 0) throw new Error('it did not answer');
    } catch (error) {
      const why = `the request to the MCP server at ${this.#url.origin} failed: ${messageOf(error)}`;
      if (open.size === 0 && !this.#isEnding) this.#options.warn(why);
      for (const id of open.values())
        await this.#receive(messageWith({ id, error: { code: -32_000, message: why } }));
    }
  }

  async #takeResponse(response: IncomingMessage, open: Map<string, unknown>): Promise<void> {
    const { statusCode = 0, headers } = response;
    const type = headers['content-type'] ?? '';
    if (type.startsWith('text/event-stream')) return this.#takeStream(response, open);
    const body = await text(response);
    // An error may be sent as an answer.
    const isJson = type.startsWith('application/json');
    if (isJson && (statusCode < 300 || readLine(Buffer.from(body)).messages.some(isAnswer)))
      await this.#takeMessage(body, open);
    if (statusCode < 300 || open.size === 0) return;
    throw new Error(
      `HTTP status ${statusCode}${this.#hintFor(statusCode)}${isJson ? ` (${body.trim()})` : ''}`,
    );
  }

  #hintFor(status: number): string {
    if (status === 401) return '; give the credentials it needs with --header';
    const isFirst = !('mcp-session-id' in this.#session);
    return isFirst && (status === 404 || status === 405)
      ? '; give the address of its Streamable HTTP transport: the older one, with SSE alone, is not supported'
      : '';
  }

  /**
   * Takes the messages of a stream and of its continuations: as long as these requests are open or, if there
   * are none, as long as the server goes on.
   */
  async #takeStream(first: IncomingMessage, open?: Map<string, unknown>): Promise<void> {
    let response: IncomingMessage | undefined = first;
    let last: string | undefined;
    const isListening = open === undefined;
    let attempts = 0;
    let delay = firstDelay;
    for (;;) {
      try {
        if (response)
          for await (const { data, id, type, retry } of eventsOf(response)) {
            last = id ?? last;
            delay = retry ?? delay;
            if (data !== '' && (type ?? 'message') === 'message')
              await this.#takeMessage(data, open);
          }
      } catch {
        // The stream broke off.
      }
      const isWanted = isListening || (open.size > 0 && last !== undefined);
      if (!isWanted || attempts === mostAttempts) return;
      response = await this.#resume(last, delay * 2 ** attempts);
      attempts = response ? 0 : attempts + 1;
    }
  }

  /** Resumes a stream after an event. */
  async #resume(last: string | undefined, delay: number): Promise<IncomingMessage | undefined> {
    await sleep(delay, undefined, { signal: this.#abort.signal });
    try {
      const headers = last !== undefined && { headers: { 'last-event-id': last } };
      const response = await this.#ask({ method: 'GET', ...headers });
      if (isStream(response)) return response;
      response.resume();
    } catch {
      // It may be back the next time.
    }
    return undefined;
  }

  /** Receives what the server sends unasked, if it offers that. */
  async #listen(): Promise<void> {
    try {
      const response = await this.#ask({ method: 'GET' });
      if (!isStream(response)) {
        response.resume();
        return;
      }
      await this.#takeStream(response);
      if (!this.#isEnding)
        this.#options.warn(`the MCP server at ${this.#url.origin} no longer sends notifications`);
    } catch (error) {
      if (!this.#isEnding) this.#options.warn(messageOf(error));
    }
  }

  async #takeMessage(json: string, open?: Map<string, unknown>): Promise<void> {
    const line = Buffer.from(`${json.replaceAll(/[\r\n]+/g, ' ').trim()}\n`);
    for (const message of readLine(line).messages) {
      if (!isAnswer(message)) continue;
      open?.delete(keyOf(message.value['id']));
      const { protocolVersion } = objectIn(message.value, 'result');
      if (typeof protocolVersion === 'string')
        this.#session['mcp-protocol-version'] = protocolVersion;
    }
    await this.#receive(line);
  }

  async #receive(line: Buffer): Promise<void> {
    if (this.#received.writableEnded) return;
    this.#received.write(line);
    await drained(this.#received);
  }

  #ask({
    headers = {},
    ...asked
  }: Pick<HttpRequest, 'method'> & Partial<HttpRequest>): Promise<IncomingMessage> {
    const isPost = asked.method === 'POST';
    return httpRequest({
      url: this.#url,
      signal: this.#abort.signal,
      ...asked,
      headers: {
        accept: isPost ? 'application/json, text/event-stream' : 'text/event-stream',
        ...(isPost && { 'content-type': 'application/json' }),
        ...this.#options.headers,
        ...this.#session,
        ...headers,
      },
    });
  }

  /** Makes the server forget the session. */
  async #close(): Promise<void> {
    this.#abort.abort();
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(closingLimit)]);
    if ('mcp-session-id' in this.#session)
      try {
        (await this.#ask({ method: 'DELETE', signal })).resume();
      } catch {
        // It is gone, or it will find out by itself.
      }
    this.#received.end();
    this.#settle({ status: 0, why: 'the connection to the MCP server has ended' });
  }
}

const isStream = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode === 200 && (headers['content-type'] ?? '').startsWith('text/event-stream');
