import { lookup as lookUp } from 'node:dns';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isRecord } from '../protocol/output.ts';
import { answerLimit } from '../process/index.ts';
import { isAddress, isPublic } from './addresses.ts';
import { beginningOf, type Answering, type HandlerAnswer, type HandlerOf } from './handler.ts';

/*
 * Posts the event to a server. Requests are Node's own of `node:http`, not those of `fetch`: only there can
 * the address that was checked be the one that is connected to, whatever a name server says next.
 */

/** How often a server may redirect to another of its own paths. */
const mostRedirects = 5;

/** Posts the event; a 2xx status with a JSON object, or with nothing, answers. */
export const answerByHttp: Answering<'http'> = async (handler, call) => {
  const { command, stdin, signal, started } = call;
  started();
  const headers = headersOf(handler, { ...process.env, ...command.env });
  let url = urlOf(command.command);
  const { host } = url;
  for (let redirects = 0; ; redirects++) {
    const access = accessTo(url, handler.allowedUrls);
    const { status, body, location } = await post(url, access, headers, stdin, signal);
    if (status !== 307 && status !== 308) return read(status, body);
    const next = location === undefined ? undefined : new URL(location, url.href);
    const isOwn = next?.host === host && next.protocol === url.protocol;
    if (next === undefined || !isOwn || redirects === mostRedirects)
      return failed(
        status,
        `the server redirects to ${next?.origin ?? 'nowhere'}${isOwn ? ' again and again' : ''}; write the URL that answers`,
      );
    url = next;
  }
};

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error(
      `${JSON.stringify(beginningOf(text))} is no URL; write one that begins with https:// or http://`,
    );
  if (url.username !== '' || url.password !== '')
    throw new Error('its URL holds a user or a password; send them in a header');
  return url;
}

/** Headers with the variables that they may use; one that is not there would be sent as an empty secret. */
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
      `${url.origin}${url.pathname} is none of the allowed URLs; add it to "allowedUrls"`,
    );
  const isNamed =
    isAddress(url.hostname) || allowed?.some((pattern) => hostOf(pattern) === url.hostname);
  return isNamed ? 'any' : 'public';
}

const matches = (pattern: string, url: string): boolean =>
  new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 's').test(url);

const escaped = (text: string): string => text.replaceAll(/[\\^$.+?()[\]{}|/]/g, '\\$&');

/** The host that a pattern names letter by letter. */
const hostOf = (pattern: string): string | undefined =>
  /^https?:\/\/(?<host>[^/*:?#]+)(?::[\d*]+)?(?:[/?#]|$)/.exec(pattern)?.groups?.['host'];

/** Connections are kept for the next event, apart by where they may lead. */
const agents = {
  any: {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  },
  public: {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  },
};

/** Finds the addresses of a name as a connection asks for them: what is checked here is what it connects to. */
const lookUpPublic: LookupFunction = (host, options, done) => {
  lookUp(host, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || first === undefined) return done(error ?? new Error(`${host} has no address`), []);
    const hidden = addresses.find(({ address }) => !isPublic(address));
    if (hidden !== undefined)
      return done(
        new Error(
          `${host} leads to ${hidden.address}, an address of this machine or its network; if that is meant, name the host in "allowedUrls"`,
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
  readonly location: string | undefined;
}

async function post(
  url: URL,
  access: Access,
  headers: Readonly<Record<string, string>>,
  stdin: string,
  signal: AbortSignal,
): Promise<Response> {
  const send = (): Promise<Response | 'stale'> =>
    new Promise((resolve, reject) => {
      const start = url.protocol === 'https:' ? requestHttps : requestHttp;
      const body = Buffer.from(stdin);
      const request = start(
        url,
        {
          method: 'POST',
          agent: agents[access][url.protocol as 'http:' | 'https:'],
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
          bodyOf(response).then(
            (text) =>
              resolve({
                status: response.statusCode ?? 0,
                body: text,
                location: response.headers.location,
              }),
            reject,
          );
        },
      );
      request.once('error', (error: NodeJS.ErrnoException) => {
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
    throw new Error(`the request to ${url.origin} failed: ${text}`, { cause: error });
  }
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
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
