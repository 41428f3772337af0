import { request, type IncomingHttpHeaders } from 'node:http';

/** An answer to a plain request. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Asks as a program would, with headers that a browser would not let a page set. */
export const ask = (
  url: string,
  {
    method = 'GET',
    headers = {},
    path,
  }: {
    method?: string;
    headers?: Record<string, string>;
    /** Sent as it is, where the address would be tidied. */
    path?: string;
  } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, ...(path !== undefined && { path }) };
    const sent = request(url, options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });

/** The page's own address and the cookie that opens it, as a browser gets them. */
export async function enter(url: string): Promise<{ page: string; cookie: string }> {
  const { headers } = await ask(url);
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  return { page: new URL(headers.location ?? '', url).href, cookie };
}
