import { fstatSync, readSync } from 'node:fs';
import { messageOf } from '../message-of.ts';
import { type EventInput, EventReader } from '../dialects/event-input.ts';

/** Reads all of standard input as text; a closed one is empty. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

/**
 * Reads an event from standard input, for a command that has nothing else to do meanwhile; what has not ended
 * within this time, in ms, cannot be judged.
 */
export async function readEvent(within?: number): Promise<EventInput> {
  const reader = new EventReader('stdin');
  const take = (chunk: Buffer): void => reader.take(chunk);
  try {
    if (within !== undefined && mayNeverEnd()) await readWithin(within, take);
    else if (!readAtOnce(take)) for await (const chunk of process.stdin) take(chunk as Buffer);
  } catch (error) {
    if (!isClosed(error)) return reader.end(`cannot be read: ${messageOf(error)}`);
  }
  return reader.end();
}

/** Reads without a stream, which costs time; returns whether it came to the end. */
function readAtOnce(take: (chunk: Buffer) => void): boolean {
  const buffer = Buffer.alloc(65_536);
  try {
    for (let size; (size = readSync(0, buffer)) > 0;) take(Buffer.from(buffer.subarray(0, size)));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
    throw error;
  }
}

function mayNeverEnd(): boolean {
  const stats = fstatSync(0);
  return stats.isFIFO() || stats.isSocket();
}

/** Reads through a socket, which takes much less time to load than `process.stdin`. */
function readWithin(ms: number, take: (chunk: Buffer) => void): Promise<void> {
  const { Socket } = process.getBuiltinModule('node:net');
  const socket = new Socket({ fd: 0, readable: true, writable: false });
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`it did not end within ${Math.round(ms / 1_000)} s`)),
      ms,
    );
    socket
      .on('data', take)
      .once('error', reject)
      .once('end', resolve)
      .once('close', () => clearTimeout(timer));
  }).finally(() => socket.destroy());
}

const isClosed = (error: unknown): boolean =>
  ['EBADF', 'EIO', 'EAGAIN'].includes((error as NodeJS.ErrnoException).code ?? '');
