import { expect, test } from 'vitest';
import { readLine } from '../../../src/adapters/mcp/message.ts';
import { OpenRequests } from '../../../src/adapters/mcp/open-requests.ts';

test('only the newest of the calls that are over are remembered', () => {
  const open = new OpenRequests();
  const messages = Array.from({ length: 1_001 }, (_, id) => {
    const line = Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"tools/call"}\n`);
    return readLine(line).messages[0]!;
  });
  for (const message of messages) open.finish(message);
  expect([0, 1, 1_000].map((id) => open.isOver(messages[id]!))).toEqual([false, true, true]);
});
