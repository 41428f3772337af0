import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

/** How many redirects are followed. */
const mostRedirects = 5;

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

/**
 * Makes a request without a timeout, because a tool may take hours, and a stream may be silent for as long.
 * Follows redirects, but sends another server nothing that was meant for this one.
 */
export async function httpRequest(asked: HttpRequest, redirects = 0): Promise<IncomingMessage> {
  const response = await once(asked);
  const { statusCode, headers } = response;
  const isMoved = statusCode === 307 || statusCode === 308;
  if (!isMoved || headers.location === undefined || redirects === mostRedirects) return response;
  response.resume();
  const url = new URL(headers.location, asked.url);
  if (url.origin !== asked.url.origin)
    throw new Error(`it has moved to ${url.origin}: use that address`);
  return httpRequest({ ...asked, url }, redirects + 1);
}

function once({ url, method, headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // Each request has a connection of its own: a reused one may have been closed in the meantime, and a call
    // must not be sent twice.
    const sent = request(url, { method, headers, signal, agent: false }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}
