import type { IncomingMessage } from 'node:http';

/** Reads the whole body of a request; undefined if it is longer than this, in bytes. */
export async function requestBody(
  request: IncomingMessage,
  mostBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
