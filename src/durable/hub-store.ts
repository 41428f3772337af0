import { EnvHttpProxyAgent, type Dispatcher, request } from 'undici';
import { HookmachineError, type HookmachineErrorCode } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { messageOf } from '../base/message-of.ts';
import { version } from '../base/version.ts';
import { LeaseLost } from './database/effects.ts';
import type { Announcements, Listener, NoAnnouncements } from './database/listening.ts';
import { type BoundOperations, type CallStore, operations } from './database/store.ts';

/** How a machine, or a person, reaches a hub. */
export interface HubAccess {
  /** Such as `https://hub.example`. */
  readonly url: string;
  /** The token that the hub gave to this machine, or to this person. */
  readonly token: string;
  /** The certificates of the authorities to trust, in PEM, if they are not those of the system. */
  readonly ca?: string | undefined;
}

/** Whom a hub takes the holder of a token for. */
export interface HubIdentity {
  readonly kind: 'machine' | 'person';
  readonly name: string;
  /** The workspaces that it may see, such as `shop` or `laptop-7:*`. */
  readonly workspaces: readonly string[];
}

/** How long a request may take, in ms. */
const longest = 65_000;

/** How long a stream of news may be silent before it counts as lost, in ms. */
const longestSilence = 60_000;

/** Requests to a hub with one token. */
export class HubLink {
  readonly url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: Dispatcher;

  /** @throws {HookmachineError} `ARGUMENT_INVALID` if the address is not one of a hub */
  constructor({ url, token, ca }: HubAccess) {
    this.url = hubUrl(url);
    this.#headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'user-agent': `hookmachine/${version}`,
    };
    this.#agent = agentFor(ca);
  }

  /**
   * Posts a request, and returns what the hub answers.
   *
   * @throws {HookmachineError} `DATABASE_UNAVAILABLE` if the hub or its database is out of reach, `HUB_REFUSED`
   * @throws what the hub says that went wrong
   */
  async ask(path: string, body: unknown, within = longest): Promise<unknown> {
    const { statusCode, text } = await this.#reach(async () => {
      const response = await this.#post(path, body, AbortSignal.timeout(within));
      return { statusCode: response.statusCode, text: await response.body.text() };
    });
    const answer = parsed(text);
    if (statusCode === 200 && isRecord(answer)) return answer['value'];
    throw problemOf(this.url, statusCode, answer);
  }

  /** Listens to the news of a workspace, which arrive as lines of one long response. */
  async listen(listener: Listener): Promise<Announcements | NoAnnouncements> {
    const stop = new AbortController();
    const { statusCode, headers, body } = await this.#reach(() =>
      this.#post('news', { workspace: listener.workspace }, stop.signal),
    );
    const isStream = statusCode === 200 && /ndjson/.test(String(headers['content-type']));
    if (!isStream) {
      const answer = parsed(await body.text());
      if (statusCode === 200 && isRecord(answer)) return answer['value'] as NoAnnouncements;
      throw problemOf(this.url, statusCode, answer);
    }
    void follow(body, listener, stop.signal);
    return { end: async () => stop.abort() };
  }

  #post(path: string, body: unknown, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return request(new URL(`v1/${path}`, this.url), {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify(body),
      dispatcher: this.#agent,
      signal,
      headersTimeout: longest,
      bodyTimeout: longestSilence,
    });
  }

  async #reach<Made>(work: () => Promise<Made>): Promise<Made> {
    try {
      return await work();
    } catch (cause) {
      const why = messageOf(cause) || String((cause as { readonly code?: unknown }).code);
      throw new HookmachineError(
        'DATABASE_UNAVAILABLE',
        `The hub at ${this.url.origin} cannot be reached: ${why}`,
        { cause },
      );
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/**
 * Reads the address of a hub. Without encryption, only this machine's own is one.
 *
 * @throws {HookmachineError} `ARGUMENT_INVALID`
 */
export function hubUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOwn = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isOwn))
    throw new HookmachineError(
      'ARGUMENT_INVALID',
      `${text} is not the address of a hub: it must begin with https://, or with http:// on this machine.`,
    );
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function agentFor(ca: string | undefined): Dispatcher {
  const tls = ca === undefined ? {} : { connect: { ca }, requestTls: { ca } };
  return new EnvHttpProxyAgent({ ...tls, keepAliveTimeout: 4_000 });
}

/** Reads the lines of a response until it ends or breaks off. */
async function follow(
  body: AsyncIterable<Buffer>,
  { hear, lose }: Listener,
  ended: AbortSignal,
): Promise<void> {
  let rest = '';
  try {
    for await (const chunk of body) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const said = parsed(line);
        if (isRecord(said) && typeof said['call'] === 'string') hear(said['call']);
      }
    }
  } catch {
    // Whoever listens is told that it is over.
  }
  if (!ended.aborted) lose();
}

/** In what a hub returns, times and files are texts. */
const revive = (key: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (/_at$|At$/.test(key)) return new Date(value);
  return key === 'bytes' ? Buffer.from(value, 'base64') : value;
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

/** The error that an answer stands for. */
function problemOf({ origin }: URL, status: number, answer: unknown): Error {
  const error = isRecord(answer) ? answer['error'] : undefined;
  const { code, name, message } = isRecord(error) ? error : {};
  const said = typeof message === 'string' ? message : `it answered with HTTP status ${status}`;
  if (name === 'LeaseLost') return new LeaseLost(said);
  if (typeof code === 'string') return new HookmachineError(code as HookmachineErrorCode, said);
  if ([429, 502, 503, 504].includes(status))
    return new HookmachineError('DATABASE_UNAVAILABLE', `The hub at ${origin} cannot be used: ${said}`); // prettier-ignore
  return new HookmachineError('HUB_REFUSED', `The hub at ${origin} refused a request: ${said}`);
}

/** Has a hub store calls. */
export function hubStore(access: HubAccess): CallStore & { identity(): Promise<HubIdentity> } {
  const link = new HubLink(access);
  const ask = (name: string, given: readonly unknown[]): Promise<unknown> =>
    // A report that it is alive comes too late after some time, and another one is made.
    link.ask(`operations/${name}`, given, name === 'extendHost' ? Number(given[2]) : longest);
  const bound = Object.fromEntries(
    Object.keys(operations).map((name) => [name, (...given: unknown[]) => ask(name, given)]),
  ) as unknown as BoundOperations;
  return {
    ...bound,
    address: link.url.href,
    isScarce: false,
    listen: (listener) => link.listen(listener),
    close: () => link.close(),
    identity: async () => (await link.ask('identity', {})) as HubIdentity,
  };
}
