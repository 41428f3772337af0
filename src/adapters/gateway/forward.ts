import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EnvHttpProxyAgent, request as send } from 'undici';
import { inTable } from '../../base/json.ts';

/** What belongs to one connection, not to the message. */
const ofConnection = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** As long as the providers' own packages wait, in ms. */
const longestWait = 10 * 60_000;

/** What a provider answered. */
export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Readable;
}

let agent: EnvHttpProxyAgent | undefined;

/** Sends a request to a provider, through the proxy that the environment names, if there is one. */
export async function forward(
  url: string,
  request: IncomingMessage,
  {
    body,
    signal,
    isRead,
  }: {
    readonly body: Buffer | Readable | undefined;
    readonly signal: AbortSignal;
    /** Whether the answer is read here, so that it must come in a form that can be read. */
    readonly isRead: boolean;
  },
): Promise<ProviderAnswer> {
  agent ??= new EnvHttpProxyAgent({ headersTimeout: longestWait, bodyTimeout: longestWait });
  const {
    statusCode,
    headers,
    body: answer,
  } = await send(url, {
    method: (request.method ?? 'GET') as 'POST',
    headers: sentHeaders(request, isRead),
    body: body ?? null,
    signal,
    dispatcher: agent,
  });
  return isRead
    ? decodedAnswer(statusCode, headers, answer)
    : { status: statusCode, headers: keptHeaders(headers), body: answer };
}

/** The headers that a request has, in their order and with their names as they were written. */
function sentHeaders({ rawHeaders }: IncomingMessage, isRead: boolean): string[] {
  const sent: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (ofConnection.has(name)) continue;
    // A body that was read here goes on as it is meant, not packed.
    if (isRead && (name === 'accept-encoding' || name === 'content-encoding')) continue;
    sent.push(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  if (isRead) sent.push('accept-encoding', 'identity');
  return sent;
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] =>
        entry[1] !== undefined && !ofConnection.has(entry[0]),
    ),
  );
}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/** Some providers pack what they answer, whatever they were asked for. */
function decodedAnswer(
  status: number,
  headers: IncomingHttpHeaders,
  body: Readable,
): ProviderAnswer {
  const { 'content-encoding': encoding, ...rest } = keptHeaders(headers);
  const decode = inTable(decoders, String(encoding).toLowerCase());
  if (encoding === undefined || decode === undefined)
    return { status, headers: keptHeaders(headers), body };
  const decoder = decode();
  body.on('error', (error) => decoder.destroy(error));
  return { status, headers: rest, body: body.pipe(decoder) };
}
