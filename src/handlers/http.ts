import { lookup as lookUp } from 'node:dns';
import {
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { withCode } from '../base/errors.ts';
import { defined, isRecord } from '../base/json.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerLimit, environmentOf } from './process/index.ts';
import { isAddress, isPublic } from './addresses.ts';
import {
  beginningOf,
  type Answering,
  type HandlerAnswer,
  type HandlerCall,
  type HandlerOf,
} from './handler.ts';
import { type Asked, answerWhileAway, cacheKey, freshAnswer, keepAnswer } from './http-cache.ts';
import { type Credentials, credentialsOf } from './http-credentials.ts';

/*
 * Posts the event to a server. Requests use `node:http`, not `fetch`: only there can the address that was
 * checked be the one that is connected to, whatever a name server says next.
 */

/** How often a server may redirect to another of its own paths. */
const mostRedirects = 5;

/** Posts the event; a 2xx status with a JSON object, or with an empty body, is an answer. */
export const answerByHttp: Answering<'http'> = async (handler, call) => {
  const { command, stdin, signal, started, arriving } = call;
  started();
  const { authorization, tls } = credentialsOf(handler, command.cwd);
  const headers = {
    ...headersOf(handler, environmentOf(command)),
    ...(authorization !== undefined && { authorization }),
  };
  const url = urlOf(command.command);
  const access = accessTo(url, handler.allowedUrls);
  const asked: Asked = [cacheKey(command, url.href, { headers, tls }, stdin), url.href, headers];
  const known = freshAnswer(asked);
  if (known !== undefined) return read(known.status, known.body);
  const send = (): Promise<Response> =>
    sendFrom(url, access, {
      handler,
      headers,
      tls,
      stdin,
      signal,
      arriving,
      sharing: command.sharing,
    });
  let response: Response;
  try {
    response = await retrying(send, handler.retries ?? 0, signal);
  } catch (error) {
    const last = isUnreachable(error) ? answerWhileAway(asked) : undefined;
    if (last === undefined) throw error;
    return withLast(last, (error as Error).message);
  }
  const { status, body } = response;
  if (isAway(status)) {
    const last = answerWhileAway(asked);
    if (last !== undefined) return withLast(last, `the server answered with status ${status}`);
  }
  const answer = response.answer ?? read(status, body);
  if (answer.error === undefined) keepAnswer(asked, response, response.headers);
  return answer;
};

/**
 * A server that is unavailable is not asked for its opinion: it has said before how long its last answer
 * counts.
 */
const withLast = ({ status, body }: { status: number; body: string }, why: string) => ({
  ...read(status, body),
  notes: [`${why}; its last answer is reused, as it permitted (stale-if-error)`],
});

/** A request, except for where it goes. */
interface Sent {
  readonly sharing: string | undefined;
  readonly tls: Credentials['tls'];
  readonly handler: HandlerOf<'http'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly signal: AbortSignal;
  readonly arriving: HandlerCall['arriving'];
}

/** Posts to a URL, and to where its server redirects. */
async function sendFrom(start: URL, startAccess: Access, sent: Sent): Promise<Response> {
  let [url, access] = [start, startAccess];
  for (let redirects = 0; ; redirects++) {
    const response = await post(url, access, sent);
    const { status, headers } = response;
    const { location } = headers;
    if (status !== 307 && status !== 308) return response;
    const next = location === undefined ? undefined : new URL(location, url.href);
    const isOwn = next?.host === start.host && next.protocol === start.protocol;
    if (next === undefined || !isOwn || redirects === mostRedirects) {
      const where = `${next?.origin ?? 'nowhere'}${isOwn ? ' again and again' : ''}`;
      const message = `the server redirects to ${where}; write the URL that answers`;
      return { ...response, answer: failed(status, message) };
    }
    url = next;
    access = accessTo(url, sent.handler.allowedUrls);
  }
}

/** The longest wait that a server may request before it is asked again, and the shortest, in ms. */
const longestWait = 10_000;
const shortestWait = 100;

/** Whether a server says that it cannot answer now. */
const isAway = (status: number): boolean => [429, 502, 503, 504].includes(status);

/** Whether a request failed because nobody was there, and not because of what was asked or who answered. */
const isUnreachable = (error: unknown): boolean =>
  unreachable.includes(String(((error as Error).cause as NodeJS.ErrnoException | undefined)?.code));

const unreachable: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
];

/**
 * Asks again, at growing intervals, if a server is unavailable. The machine ends the hook at its deadline.
 */
async function retrying(
  send: () => Promise<Response>,
  retries: number,
  signal: AbortSignal,
): Promise<Response> {
  for (let tries = 0; ; tries++) {
    let wait = shortestWait * 2 ** tries;
    try {
      const response = await send();
      const { status, headers } = response;
      if (!isAway(status) || tries >= retries) return response;
      const after = Number(headers['retry-after'] ?? 0) * 1_000;
      if (!(after <= longestWait)) return response;
      wait = Math.max(wait, after);
    } catch (error) {
      if (signal.aborted || tries >= retries || !isUnreachable(error)) throw error;
    }
    await sleep(wait * (1 + Math.random() / 4), undefined, { signal });
  }
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error(
      `${JSON.stringify(beginningOf(text))} is not a URL; write one that begins with https:// or http://`,
    );
  if (url.username !== '' || url.password !== '')
    throw new Error('its URL holds a user or a password; send them in a header');
  return url;
}

/**
 * Fills in the variables that headers may use; a variable that is not set would be sent as an empty secret.
 */
function headersOf(
  { headers = {}, allowedEnv = [], allowedEnvKey = 'allowedEnv' }: HandlerOf<'http'>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const filled = Object.entries(headers).map(([header, text]) => [
    header.toLowerCase(),
    text.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare!;
      const uses = `its header "${header}" uses the variable ${name}, which`;
      if (!allowedEnv.includes(name))
        throw new Error(`${uses} is not allowed; add it to "${allowedEnvKey}"`);
      const value = env[name];
      if (value === undefined) throw new Error(`${uses} is not set; set it for this program`);
      return value;
    }),
  ]);
  return Object.fromEntries(filled) as Record<string, string>;
}

/** Which addresses a request may go to. */
type Access = 'any' | 'public';

function accessTo(url: URL, allowed: readonly string[] | undefined): Access {
  if (allowed !== undefined && !allowed.some((pattern) => matches(pattern, url.href)))
    throw new Error(
      `${url.origin}${url.pathname} is not one of the allowed URLs; add it to "allowedUrls"`,
    );
  const isNamed =
    isAddress(url.hostname) || allowed?.some((pattern) => hostOf(pattern) === url.hostname);
  return isNamed ? 'any' : 'public';
}

const matches = (pattern: string, url: string): boolean =>
  new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 's').test(url);

const escaped = (text: string): string => text.replaceAll(/[\\^$.+?()[\]{}|/]/g, '\\$&');

/** The host that a pattern names literally. */
const hostOf = (pattern: string): string | undefined =>
  /^https?:\/\/(?<host>[^/*:?#]+)(?::[\d*]+)?(?:[/?#]|$)/.exec(pattern)?.groups?.['host'];

/** Connections are kept for the next event, separately by hook, where they may lead and which credentials. */
const agents = new Map<string, HttpAgent>();

/** How many kinds of connections are kept. */
const mostAgents = 50;

function agentFor(url: URL, access: Access, { tls, sharing }: Sent): HttpAgent {
  const key = JSON.stringify([url.protocol, access, tls, sharing]);
  let agent = agents.get(key);
  if (agent === undefined) {
    // Set explicitly, because otherwise an environment variable could decide it.
    const secure = { keepAlive: true, rejectUnauthorized: true, ...defined({ ...tls }) };
    agent = url.protocol === 'https:' ? new HttpsAgent(secure) : new HttpAgent({ keepAlive: true });
    for (const [oldest, old] of agents) {
      if (agents.size < mostAgents) break;
      old.destroy();
      agents.delete(oldest);
    }
    agents.set(key, agent);
  }
  return agent;
}

/**
 * Finds the addresses of a name when a connection asks for them: what is checked here is what it connects to.
 */
const lookUpPublic: LookupFunction = (host, options, done) => {
  lookUp(host, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || first === undefined) return done(error ?? new Error(`${host} has no address`), []);
    const hidden = addresses.find(({ address }) => !isPublic(address));
    if (hidden !== undefined)
      return done(
        new Error(
          `${host} resolves to ${hidden.address}, an address of this machine or its network; if that is intended, name the host in "allowedUrls"`,
        ),
        [],
      );
    if (options.all) done(null, addresses);
    else done(null, first.address, first.family);
  });
};

interface Response {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** The answer, if it is known before the body is read. */
  readonly answer?: HandlerAnswer;
}

async function post(url: URL, access: Access, sent: Sent): Promise<Response> {
  const { headers, stdin, signal, arriving } = sent;
  const send = (): Promise<Response | 'stale'> =>
    new Promise((resolve, reject) => {
      const start = url.protocol === 'https:' ? requestHttps : requestHttp;
      const body = Buffer.from(stdin);
      const request = start(
        url,
        {
          method: 'POST',
          agent: agentFor(url, access, sent),
          ...(access === 'public' && { lookup: lookUpPublic }),
          signal,
          headers: {
            'user-agent': 'hookmachine',
            accept: 'application/json',
            ...headers,
            'content-type': 'application/json',
            'content-length': body.length,
          },
        },
        (response) => {
          const { statusCode: status = 0 } = response;
          const chunks: Buffer[] = [];
          arriving(() => read(status, Buffer.concat(chunks).toString()));
          bodyOf(response, chunks).then(
            (text) => resolve({ status, body: text, headers: response.headers }),
            reject,
          );
        },
      );
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (request.reusedSocket && error.code === 'ECONNRESET') resolve('stale');
        else reject(error);
      });
      request.end(body);
    });
  try {
    // A server may close a kept connection just as it is used again.
    for (;;) {
      const response = await send();
      if (response !== 'stale') return response;
    }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const text = message === '' ? code : message;
    const lost = new Error(`the request to ${url.origin} failed: ${text}`, { cause: error });
    throw withCode(lost, 'no-response');
  }
}

async function bodyOf(response: IncomingMessage, chunks: Buffer[]): Promise<string> {
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerLimit) throw new Error('its answer is over 10 MiB; answer with less');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function read(status: number, body: string): HandlerAnswer {
  if (status < 200 || status > 299)
    return failed(status, `the server answered with status ${status}${said(body)}`);
  if (body.trim() === '' || isObject(body)) return { stdout: body.trim(), httpStatus: status };
  return failed(status, `the server's answer is not one JSON object${said(body)}`);
}

const said = (body: string): string => (body.trim() === '' ? '' : `: ${beginningOf(body)}`);

const failed = (httpStatus: number, message: string): HandlerAnswer => ({
  stdout: '',
  httpStatus,
  error: new Error(message),
});

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
