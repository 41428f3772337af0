import type { IncomingMessage } from 'node:http';
import { errorOf } from '../message-of.ts';

/** How large an event may be, in bytes. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Returns a request's body, or the limit that it exceeds; rejects if the signal is aborted before all has
 * come.
 */
export async function bodyOf(
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<string | { readonly limit: '64 MiB' }> {
  const tooLarge = { limit: '64 MiB' } as const;
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  // Not read with an iterator, whose early end would end the connection before the host is answered.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= mostBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve(tooLarge);
      }
    });
    request.once('end', () =>
      resolve(
        Buffer.concat(chunks)
          .toString()
          .replace(/^\uFEFF/, ''),
      ),
    );
    request.once('error', reject);
    signal.addEventListener('abort', () => reject(errorOf(signal.reason)), { once: true });
  });
}
