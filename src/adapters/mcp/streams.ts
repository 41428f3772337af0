import type { Writable } from 'node:stream';

/** What a stream contains, until it ends or is closed. */
export async function* untilClosed(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch {
    // The writer is gone.
  }
}

/** Resolves when a stream accepts more, or is closed. */
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

/** Resolves when everything that was written has left, or never will. */
export const flushed = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    stream.write('', () => resolve());
  });
