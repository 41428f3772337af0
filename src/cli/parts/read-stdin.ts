import { fstatSync, readSync } from 'node:fs';
import { messageOf } from '../../base/message-of.ts';
import { type EventInput, EventReader } from '../../hosts/parts/event-input.ts';

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
    const pipe = within === undefined ? undefined : pipeOfStdin();
    const isRead = pipe?.mayBlock !== true && readAtOnce(take);
    if (!isRead && within !== undefined) await readWithin(within, take, pipe?.handle);
    else if (!isRead) for await (const chunk of process.stdin) take(chunk as Buffer);
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

/** What libuv calls a pipe: a FIFO or a socket. */
interface Pipe {
  open(descriptor: number): number;
}

interface PipeOfStdin {
  readonly handle?: Pipe;
  readonly mayBlock?: boolean;
}

/**
 * Makes standard input such that reading it never blocks, if it may not end: no timer could interrupt that.
 * Only the handle that Node's own streams are made of does so without loading them, which takes longer than
 * all else that a relay without a hook does; where it is not to be had, they are loaded.
 */
function pipeOfStdin(): PipeOfStdin | undefined {
  const stats = fstatSync(0);
  if (!stats.isFIFO() && !stats.isSocket()) return undefined;
  try {
    const { Pipe, constants } = (process as unknown as { binding: Binding }).binding('pipe_wrap');
    const handle = new Pipe(constants.SOCKET);
    return handle.open(0) === 0 ? { handle } : { mayBlock: true };
  } catch {
    return { mayBlock: true };
  }
}

type Binding = (name: 'pipe_wrap') => {
  readonly Pipe: new (type: number) => Pipe;
  readonly constants: { readonly SOCKET: number };
};

function readWithin(
  ms: number,
  take: (chunk: Buffer) => void,
  handle: Pipe | undefined,
): Promise<void> {
  const { Socket } = process.getBuiltinModule('node:net');
  // The types of some versions of Node.js know no handle, and those of others want more of it.
  const options: object = { ...(handle ? { handle } : { fd: 0 }), readable: true, writable: false };
  const socket = new Socket(options);
  let timer: NodeJS.Timeout | undefined;
  return new Promise<void>((resolve, reject) => {
    const expire = (): void =>
      reject(new Error(`it did not end within ${Math.round(ms / 1_000)} s`));
    timer = setTimeout(expire, ms);
    socket.on('data', take).once('error', reject).once('end', resolve);
  }).finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}

const isClosed = (error: unknown): boolean =>
  ['EBADF', 'EIO', 'EAGAIN'].includes((error as NodeJS.ErrnoException).code ?? '');
