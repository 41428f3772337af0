import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { connect } from '../../../src/watch/stately/connect.ts';

const host = '127.0.0.1';

test('a server that was given up before it was there is left alone when it starts', async () => {
  const first = new WebSocketServer({ host, port: 0 });
  await once(first, 'listening');
  const { port } = first.address() as AddressInfo;
  first.close();
  await once(first, 'close');

  const onGivenUp = vi.fn();
  const connection = connect(`ws://${host}:${port}`, onGivenUp);
  // The connection is refused at once, and tried again after a second.
  await sleep(200);
  for (let message = 0; message <= 10_000; message++) connection.send('{}');
  expect(onGivenUp).toHaveBeenCalledOnce();

  const late = new WebSocketServer({ host, port });
  onTestFinished(() => late.close());
  const onConnection = vi.fn();
  late.on('connection', onConnection);
  await sleep(1_500);
  expect(onConnection).not.toHaveBeenCalled();
});
