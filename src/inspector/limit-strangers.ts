import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/** How many connections may be open that have not been admitted. */
const mostStrangers = 32;

/** How many of them may be open briefly, until the newest ones have been read. */
const mostNewcomers = 96;

/**
 * How long a request may take to arrive, and how large its head may be. The requests made here are one short
 * line; a client that sends one byte at a time holds a file descriptor of the host.
 */
export const strictRequests = {
  headersTimeout: 3_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 2_000,
  connectionsCheckingInterval: 500,
  maxHeaderSize: 16_384,
} as const satisfies ServerOptions;

/** How many connections may wait to be accepted. They are all accepted at once, so none is dropped unread. */
export const backlog = mostNewcomers;

/** The connections that have not been admitted. */
export interface Strangers {
  /** Admits a connection: it no longer counts as a stranger, and is not closed to make room. */
  readonly admit: (socket: Socket) => void;
  /** Closes all connections that were not admitted. */
  readonly end: () => void;
}

/**
 * Keeps strangers from using up the file descriptors of the host, which its hooks need. Every connection
 * counts as a stranger until it is admitted. Beyond the limit, the oldest stranger is closed; a newcomer is
 * closed only after its request was read, since the request may show that it is not a stranger.
 */
export function limitStrangers(server: Server): Strangers {
  // In order of arrival.
  const strangers = new Set<Socket>();
  const end = (socket: Socket): void => {
    strangers.delete(socket);
    socket.destroy();
  };
  const endFirst = (most: number, among: Iterable<Socket>): void => {
    for (const socket of among) {
      if (strangers.size <= most) return;
      if (strangers.has(socket)) end(socket);
    }
  };
  let isEnding = false;
  const endSoon = (): void => {
    if (isEnding) return;
    isEnding = true;
    // One turn of the event loop accepts, and the next one reads.
    setImmediate(() => {
      const read = [...strangers];
      setImmediate(() => {
        isEnding = false;
        endFirst(mostStrangers, read);
        if (strangers.size > mostStrangers) endSoon();
      });
    });
  };
  server.on('connection', (socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket));
    endFirst(mostNewcomers, strangers);
    if (strangers.size > mostStrangers) endSoon();
  });
  return {
    admit: (socket) => void strangers.delete(socket),
    end: () => strangers.forEach(end),
  };
}
