import { messageOf } from '../../base/message-of.ts';
import { mostPacked } from './archive.ts';
import { BundleError, isBundleError } from './bundle-error.ts';

const mostRedirects = 5;

/** Whether a place is a web address rather than a path. */
export const isAddress = (from: string): boolean => /^https?:\/\//i.test(from);

/**
 * Fetches an archive over HTTPS, following redirects. `timeout` limits the whole fetch, in ms.
 *
 * @throws {BundleError} if the archive cannot be fetched
 */
export async function fetchArchive(address: string, timeout = 60_000): Promise<Buffer> {
  const signal = AbortSignal.timeout(timeout);
  if (!URL.canParse(address))
    throw new BundleError('is not a URL', 'use one that begins with https://');
  let url = new URL(address);
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    if (url.protocol !== 'https:')
      throw new BundleError(
        redirects === 0
          ? 'is not fetched over HTTPS'
          : `is redirected to ${url.protocol}//${url.host}, which is not HTTPS`,
        'use a URL that begins with https://',
      );
    try {
      const response = await fetch(url, { redirect: 'manual', signal });
      const next = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || next === null)
        return await bodyOf(response);
      await response.body?.cancel();
      url = new URL(next, url);
    } catch (cause) {
      throw asFault(cause, url, timeout);
    }
  }
  throw new BundleError('is redirected too many times', 'check that server');
}

async function bodyOf(response: Response): Promise<Buffer> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new BundleError(
      `cannot be fetched: the server answered ${response.status}`,
      'check the address',
    );
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > mostPacked)
      throw new BundleError('is too large', 'leave only hooks and their tests in it');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks);
}

function asFault(cause: unknown, { host }: URL, timeout: number): unknown {
  if (isBundleError(cause)) return cause;
  const isSlow = (cause as Error).name === 'TimeoutError';
  const why = isSlow
    ? `did not send it within ${timeout / 1_000} s`
    : `cannot be reached (${messageOf((cause as Error).cause ?? cause)})`;
  return new BundleError(`cannot be fetched: ${host} ${why}`, 'try again later', { cause });
}
