import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/** How many connections may be open that have not shown what lets them in. */
const mostStrangers = 32;

/** How many of them may be open for a moment, until those that have just come were read. */
const mostNewcomers = 96;

/**
 * How long a request may take to arrive, and how large its head may be. What is asked for here is one
 * short line; whoever sends it a byte at a time holds a descriptor of the host.
 */
export const strictRequests = {
  headersTimeout: 3_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 2_000,
  connectionsCheckingInterval: 500,
  maxHeaderSize: 16_384,
} as const satisfies ServerOptions;

/** How many connections may wait to be accepted. All of them are at once, so none is pushed out unread. */
export const backlog = mostNewcomers;

/** The connections that have not shown what lets them in. */
export interface Strangers {
  /** From now on this connection does not count, and is not ended to make room. */
  readonly admit: (socket: Socket) => void;
  /** Ends all that were not admitted. */
  readonly end: () => void;
}

/**
 * Keeps strangers from taking the descriptors of the host, which its hooks need. Every connection
 * counts as a stranger's until it is admitted. Of strangers beyond the limit the one that came first
 * is ended, and a newcomer only once what it sent was read: it may show that it is none.
 */
export function limitStrangers(server: Server): Strangers {
  // In the order in which they came.
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
