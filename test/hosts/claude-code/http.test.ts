import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { claudeBox, denial, settingsOf } from '../../support/claude-code.ts';

/** Returns the outcome of an http hook whose server answers with this. */
async function posted(status: number, body: string, hook: object = {}) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      requests.push(text);
      response.writeHead(status).end(body);
    });
  }).listen(0, 'localhost');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { local, start } = claudeBox();
  const url = `http://localhost:${port}/hook`;
  local(settingsOf('PreToolUse', { type: 'http', url, ...hook }, 'Bash'));
  const { fire } = await start();
  const { verdict } = await fire('BeforeTool', {
    tool_name: 'run_shell_command',
    tool_input: { command: 'ls' },
  });
  return { verdict, request: requests[0] };
}

test.each([
  ['a denial', 200, JSON.stringify(denial('not here')), 'deny'],
  ['nothing', 204, '', undefined],
  ['an empty body', 200, '', undefined],
  ['a text', 200, 'no', undefined],
  ['a denial with status 500', 500, JSON.stringify(denial('not here')), undefined],
] as const)(
  'only a denial with a success status counts: the server of an http hook answers with %s',
  async (_, status, body, decision) => {
    const { verdict, request } = await posted(status, body);
    expect(verdict.decision).toBe(decision);
    expect(JSON.parse(request!)).toMatchObject({
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
    });
  },
);

test('an http hook whose server answers with status 500 denies if its onFailure is "block"', async () => {
  const { verdict } = await posted(500, '', { onFailure: 'block' });
  expect(verdict.decision).toBe('deny');
});

test('a header with a variable that is not allowed fails, and the error names the key of Claude Code’s settings', async () => {
  const { verdict, request } = await posted(200, '', {
    headers: { 'X-Token': '$HOME' },
    onFailure: 'block',
  });
  expect(request).toBeUndefined();
  expect(verdict.reason).toContain('add it to "allowedEnvVars"');
});
