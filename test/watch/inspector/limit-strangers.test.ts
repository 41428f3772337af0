import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { limitStrangers } from '../../../src/watch/inspector/limit-strangers.ts';

test('a connection that cannot be accepted does not end the host', () => {
  const server = createServer();
  limitStrangers(server);
  const shortage = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });
  expect(() => server.emit('error', shortage)).not.toThrow();
  server.close();
});
