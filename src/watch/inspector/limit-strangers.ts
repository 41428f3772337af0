import { readFileSync } from 'node:fs';
import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Which share of the files that this process may open is for connections that have not been admitted; the
 * hooks need the rest.
 */
const share = 1 / 4;

/** How many files a process may open at least on systems that do not say it in `/proc`. */
const usualFiles = 8_192;

/** How many connections may be open, whatever the system allows: each costs some 20 KB. */
const mostStrangers = 4_096;

/** How long a request's head may take to arrive, as a number of looks and the time between them in ms. */
const looks = 6;
const betweenLooks = 500;

/**
 * How large a request's head may be. How long it may take is decided here: Node.js would also close a
 * connection whose request has arrived while this process was stopped or busy, and has not been read.
 */
export const strictRequests = {
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 2_000,
  maxHeaderSize: 16_384,
} as const satisfies ServerOptions;

/** The connections that have not been admitted. */
export interface Strangers {
  /** How many connections may wait to be accepted; Node.js accepts them all at once. */
  readonly backlog: number;
  /** Admits a connection: it no longer counts as a stranger, and is not closed to make room. */
  readonly admit: (socket: Socket) => void;
  /** Closes all connections that were not admitted. */
  readonly end: () => void;
}

/**
 * Keeps strangers from using up the file descriptors of the host, which its hooks need. Every connection
 * counts as a stranger until it is admitted, and is closed if its request has not arrived after some time;
 * beyond the limit, the oldest stranger is closed earlier. No connection is closed before it was read, since
 * what it sent may show that it is not a stranger.
 */
export function limitStrangers(server: Server): Strangers {
  const most = Math.min(mostStrangers, Math.floor(mostFiles() * share));
  // In order of arrival, each with the number of looks at it.
  const strangers = new Map<Socket, number>();
  const end = (socket: Socket): void => {
    strangers.delete(socket);
    socket.destroy();
  };
  let isEnding = false;
  const endSoon = (): void => {
    if (isEnding) return;
    isEnding = true;
    // One turn of the event loop accepts, and the next one reads.
    setImmediate(() => {
      const read = [...strangers.keys()];
      setImmediate(() => {
        isEnding = false;
        for (const socket of read) {
          if (strangers.size <= most) return;
          if (strangers.has(socket)) end(socket);
        }
        if (strangers.size > most) endSoon();
      });
    });
  };
  const look = (): void => {
    for (const [socket, seen] of strangers)
      if (seen === looks) end(socket);
      else strangers.set(socket, seen + 1);
  };
  // After a pause of this process, what has arrived in the meantime is read first.
  const timer = setInterval(() => setImmediate(look), betweenLooks).unref();
  server.on('close', () => clearInterval(timer));
  server.on('connection', (socket) => {
    strangers.set(socket, 0);
    socket.once('close', () => strangers.delete(socket));
    if (strangers.size > most) endSoon();
  });
  // A connection that cannot be accepted, for want of memory or files, must not end the host.
  server.on('error', () => undefined);
  return {
    backlog: most,
    admit: (socket) => void strangers.delete(socket),
    end: () => [...strangers.keys()].forEach(end),
  };
}

/** How many files this process may open. */
function mostFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return usualFiles;
  }
}
