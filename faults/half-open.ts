import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

/**
 * Connects to an inspector as peers do that disappear silently: one in the middle of its request, and one
 * that asked for everything that happens and never reads it.
 */
export async function openHalf(url: string): Promise<void> {
  const [entrance] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  entrance.resume();
  const { location = '', 'set-cookie': [cookie = ''] = [] } = entrance.headers;
  const { hostname, port, host } = new URL(url);
  const asking = [
    `GET ${location}journal HTTP/1.1`,
    `Host: ${host}`,
    `Cookie: ${cookie.split(';')[0]}`,
    '\r\n',
  ].join('\r\n');
  for (const text of ['GET / HT', asking]) {
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text);
  }
}
