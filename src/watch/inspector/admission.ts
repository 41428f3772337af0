import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** What a request needs to be answered. */
export interface Admission {
  readonly token: string;
  readonly port: number;
  /** The cookie's name. */
  readonly cookie: string;
  readonly method: 'GET' | 'POST';
}

const pasteIt = 'paste the address that was printed, with its token, into the address bar';

/**
 * Why a request is refused; undefined if it comes from the user's own page. Other pages in the same browser
 * can send requests here too, and can have host names that lead here.
 */
export function refusalOf(
  request: IncomingMessage,
  { token, port, cookie, method }: Admission,
): Refusal | undefined {
  const { headers } = request;
  if (request.method !== method)
    return {
      status: 405,
      reason: method === 'GET' ? 'this page can only be read' : 'this address only accepts answers',
    };
  const foreign = foreignIn(request, port);
  if (foreign !== undefined) return { status: 403, reason: `${foreign}: ${pasteIt}` };
  const given = givenToken(request) ?? cookieOf(headers.cookie, cookie) ?? '';
  if (!isSame(given, token))
    return { status: 403, reason: `the token is missing or not the right one: ${pasteIt}` };
  return undefined;
}

/**
 * Returns the sign that a request was made by a page of another site, or reached us under a foreign host
 * name.
 */
export function foreignIn({ headers }: IncomingMessage, port: number): string | undefined {
  const { host = '', origin } = headers;
  if (![`127.0.0.1:${port}`, `localhost:${port}`].includes(host))
    return 'this host name is not accepted';
  if (origin !== undefined && origin !== `http://${host}`) return 'another site requested this';
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return 'another site linked here';
  return undefined;
}

/** The token in a request's address, if it has one. */
export const givenToken = ({ url = '' }: IncomingMessage): string | undefined =>
  new URL(url, 'http://localhost').searchParams.get('token') ?? undefined;

const cookieOf = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** Compares tokens in a time that does not reveal how much of them was right. */
export const isSame = (given: string, wanted: string): boolean =>
  timingSafeEqual(digest(given), digest(wanted));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
