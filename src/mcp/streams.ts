import type { Writable } from 'node:stream';

/** What a stream holds, until it ends or is closed. */
export async function* untilClosed(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch {
    // Whoever wrote to it has gone.
  }
}

/** Resolves when a stream takes more, or is closed. */
export async function drained(stream: Writable): Promise<void> {
  if (!stream.writableNeedDrain || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      stream.off('drain', settle).off('close', settle).off('error', settle);
      resolve();
    };
    stream.on('drain', settle).on('close', settle).on('error', settle);
  });
}

/** Resolves when all that was written has left, or never will. */
export const flushed = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    stream.write('', () => resolve());
  });
