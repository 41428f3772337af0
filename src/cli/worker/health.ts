import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { messageOf } from '../../base/message-of.ts';
import type { Durable } from '../../durable/connect.ts';
import { exposition } from '../../durable/database/metrics.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';

/**
 * Serves what a supervisor and a monitor ask: `/livez`, whether the process answers; `/readyz`, whether it has
 * its lease; `/metrics`, in the text format of Prometheus. Returns what ends it.
 *
 * @throws {CommandFailure} if it cannot listen there
 */
export async function serveHealth(
  durable: Pick<Durable, 'hasLease' | 'metrics'>,
  address: string,
): Promise<() => Promise<void>> {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(address) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new CommandFailure(
      `--health ${address}: write a port, such as 9090, or an address and a port, such as 0.0.0.0:9090`,
    );
  const server = createServer({ maxHeaderSize: 16_384 }, ({ method, url }, response) => {
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'only GET is answered\n');
    if (url === '/livez') return send(response, 200, 'alive\n');
    if (url === '/readyz')
      return durable.hasLease
        ? send(response, 200, 'ready\n')
        : send(response, 503, 'it has no lease: the database is out of reach\n');
    if (url !== '/metrics') return send(response, 404, 'try /livez, /readyz or /metrics\n');
    return void durable.metrics().then(
      (found) => send(response, 200, exposition(found)),
      (error: unknown) => send(response, 503, `${messageOf(error)}\n`),
    );
  });
  server.listen(Number(port), host.replaceAll(/^\[|\]$/g, ''));
  await once(server, 'listening').catch((cause: unknown) => {
    throw new CommandFailure(`--health ${address}: ${messageOf(cause)}`, { cause });
  });
  return async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
}

const send = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
