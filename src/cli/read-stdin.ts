import { readSync } from 'node:fs';

/** Reads all of standard input as text; a closed one is empty. */
export async function readStdin(chunks: Buffer[] = []): Promise<string> {
  try {
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
  return textOf(chunks);
}

/** Does the same without a stream, which costs time, for a command that has nothing else to do meanwhile. */
export async function readStdinFirst(): Promise<string> {
  const chunks: Buffer[] = [];
  const buffer = Buffer.alloc(65_536);
  try {
    for (let size; (size = readSync(0, buffer)) > 0;)
      chunks.push(Buffer.from(buffer.subarray(0, size)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return readStdin(chunks);
    if (!isClosed(error)) throw error;
  }
  return textOf(chunks);
}

const isClosed = (error: unknown): boolean =>
  ['EBADF', 'EIO', 'EAGAIN'].includes((error as NodeJS.ErrnoException).code ?? '');

const textOf = (chunks: readonly Buffer[]): string =>
  Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
