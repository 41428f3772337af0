import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** Whether a statement is lost on its way to the server, or only the server's reply to it. */
export type Cut = 'before it arrives' | 'before its reply arrives';

/**
 * Passes connections on to a database, and once it is armed, cuts one of them, once: at the first statement
 * that contains this text. Returns the database's address through it, and whether it has cut.
 */
export async function cuttingProxy(
  url: string,
  text: string,
  cut: Cut,
): Promise<{ readonly url: string; arm(): void; hasCut(): boolean }> {
  const { hostname, port } = new URL(url);
  let isArmed = false;
  let hasCut = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isDeaf = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (chunk: Buffer) => {
      if (isArmed && !hasCut && chunk.includes(text)) {
        hasCut = true;
        if (cut === 'before it arrives') return end();
        isDeaf = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (isDeaf) end();
      else client.write(chunk);
    });
    for (const socket of [client, upstream] satisfies Socket[])
      socket.on('close', end).on('error', end);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return { url: through.href, arm: () => (isArmed = true), hasCut: () => hasCut };
}
