import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** The response to a plain request. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Sent as it is, where the URL would be normalized. */
  readonly path?: string;
  readonly body?: string;
}

/** Sends a request as a program would, with headers that a browser would not let a page set. */
export const ask = async (url: string, options?: Asking): Promise<Answered> =>
  (await begin(url, options)).whole;

/** Sends a request, and waits only for the beginning of the response. */
export const begin = (
  url: string,
  { method = 'GET', headers = {}, path, body }: Asking = {},
): Promise<{ whole: Promise<Answered> }> =>
  new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, ...(path !== undefined && { path }) };
    const sent = request(url, options, (response) => resolve({ whole: wholeOf(response) }));
    sent.on('error', reject);
    sent.end(body);
  });

async function wholeOf(response: IncomingMessage): Promise<Answered> {
  const body = await text(response);
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

/** Returns the page's own address and the cookie that opens it, as a browser gets them. */
export async function enter(url: string): Promise<{ page: string; cookie: string }> {
  const { headers } = await ask(url);
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { page: new URL(headers.location ?? '', url).href, cookie };
}
