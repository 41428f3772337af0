import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { copilotBox } from '../../support/copilot.ts';

/** Returns the decision of an http hook before a tool whose server answers this, or is not there. */
async function decided(answer?: readonly [status: number, body: string]) {
  vi.stubEnv('COPILOT_HOOK_ALLOW_LOCALHOST', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(answer?.[0] ?? 200).end(answer?.[1]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  if (answer) onTestFinished(close);
  else close();
  const { local, start } = copilotBox();
  const url = `http://127.0.0.1:${port}/`;
  local({ version: 1, hooks: { preToolUse: [{ type: 'http', url }] } });
  const { fire } = await start();
  const { verdict } = await fire('BeforeTool', {
    tool_name: 'run_shell_command',
    tool_input: { command: 'ls' },
  });
  return verdict.decision;
}

const denial = JSON.stringify({ permissionDecision: 'deny', permissionDecisionReason: 'no' });

test.each([
  ['a denial', [200, denial], 'deny'],
  ['nothing', [204, ''], undefined],
  ['a text', [200, 'hello'], undefined],
  ['status 500', [500, ''], 'deny'],
  ['a denial with status 500', [500, denial], 'deny'],
  ['no server', undefined, 'deny'],
] as const)(
  'an http hook before a tool denies unless a success status without a denial answers: %s',
  async (_, answer, decision) => {
    expect(await decided(answer)).toBe(decision);
  },
);
