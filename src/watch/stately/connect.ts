import { connect as connectSocket, type NetConnectOpts, type Socket } from 'node:net';
import { StatelyError } from './stately-error.ts';
import { loadWebSocket, type WebSocketLike } from './stately-package.ts';

/** The receiver of messages, which are sent in order. */
export interface Connection {
  send(message: string): void;
  /**
   * Closes the connection once everything has been sent; the process waits for that, but no longer than 2 s.
   */
  close(): void;
}

/** How often to try to connect to a server, and the pause between two attempts, in ms. */
const mostTries = 5;
const pause = 1_000;
/** How many messages may wait for a server that is not there, and how many bytes for a slow one. */
const mostWaiting = 10_000;
const mostBytes = 32_000_000;
/** How long a server may take to accept the connection, and to take what is left when it is closed, in ms. */
const timeout = 2_000;

/**
 * Connects to a WebSocket server on this machine. Messages that are sent before it is connected wait. If the
 * server is not there or goes away, that is reported once, and no further messages are sent. Until `close()`,
 * the connection does not keep the process alive.
 *
 * @throws {StatelyError} if the address is invalid or not on this machine
 */
export function connect(url: string, onGivenUp: (why: string) => void): Connection {
  const address = checked(url);
  const WebSocket = loadWebSocket();
  const waiting: string[] = [];
  let socket: WebSocketLike | undefined;
  let transport: Socket | undefined;
  let state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting';
  let tries = 0;
  let timer: NodeJS.Timeout | undefined;

  const giveUp = (why: string): void => {
    state = 'closed';
    clearTimeout(timer);
    waiting.length = 0;
    socket?.terminate();
    onGivenUp(why);
  };
  const attempt = (): void => {
    tries++;
    const current = new WebSocket(url, {
      handshakeTimeout: timeout,
      createConnection: () => (transport = openTransport(address)),
    });
    socket = current;
    let why = 'it closed the connection';
    current.on('error', ({ message }) => {
      why = message;
    });
    current.on('open', () => {
      if (state === 'connecting') state = 'open';
      for (const message of waiting.splice(0)) current.send(message);
      if (state === 'closing') current.close();
    });
    current.on('close', () => {
      transport = undefined;
      if (state === 'closing' || state === 'closed') return;
      if (state === 'open' || tries === mostTries) return giveUp(why);
      timer = setTimeout(attempt, pause).unref();
    });
  };
  const close = (): void => {
    if (state === 'closing' || state === 'closed') return;
    clearTimeout(timer);
    if (state === 'open') socket!.close();
    state = 'closing';
    transport?.ref();
    setTimeout(() => socket!.terminate(), timeout).unref();
  };
  attempt();
  return {
    send(message) {
      if (state === 'closing' || state === 'closed') return;
      if (state === 'connecting') {
        if (waiting.push(message) > mostWaiting) giveUp('it has not answered for too long');
      } else if (socket!.bufferedAmount > mostBytes) giveUp('it reads too slowly');
      else socket!.send(message);
    },
    close,
  };
}

/** The connection below a WebSocket; it keeps no process alive. */
const openTransport = ({ hostname, port }: URL): Socket =>
  connectSocket({
    host: bare(hostname),
    port: Number(port || 80),
  } satisfies NetConnectOpts).unref();

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function checked(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'ws:')
    throw new StatelyError(
      `"${text}" is not the address of a WebSocket server; use ws://127.0.0.1:8080`,
    );
  if (!loopback.test(url.hostname))
    throw new StatelyError(
      `${text} is not on this machine, and what is inspected may be secret; use a server on 127.0.0.1`,
    );
  return url;
}

const bare = (hostname: string): string => hostname.replaceAll(/[[\]]/g, '');
