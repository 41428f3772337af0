import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { llxprt } from '../../src/hosts/llxprt/index.ts';
import { modelFromTurns } from '../../src/entries/models.ts';
import { defineHooks } from '../../src/settings/files/define-hooks.ts';
import type { HookType } from '../../src/core/definitions/hook-definition.ts';
import { scriptFiles } from '../../src/settings/trust/script-files.ts';
import { project } from '../support/project.ts';
import { someFields, startSession } from '../support/session.ts';
import { isAlive } from '../support/until.ts';

const kinds: readonly HookType[] = ['command', 'live', 'module', 'http', 'prompt'];

/** A dialect that speaks LLxprt's protocol and knows every kind of hook. */
const all: Dialect = {
  ...llxprt,
  find(site) {
    const read = site.settings().map((from) => defineHooks(from, { kinds }));
    return {
      definitions: read.flatMap(({ definitions }) => definitions),
      problems: read.flatMap(({ problems }) => problems),
      unasked: [],
    };
  },
};

const definedAs = (hook: object) =>
  defineHooks({ source: 'user', hooks: { BeforeTool: [{ hooks: [hook] }] } }, { kinds });

test.each([
  [
    { type: 'http', url: 'https://a.example/', headers: { A: '$B' }, allowedEnv: ['B'] },
    { command: 'https://a.example/', headers: { A: '$B' }, allowedEnv: ['B'] },
  ],
  [
    { type: 'live', command: 'node', args: ['guard.mjs'], concurrency: 2 },
    { command: 'node', args: ['guard.mjs'], concurrency: 2 },
  ],
  [{ type: 'command', command: 'node', args: ['a b.mjs'] }, { args: ['a b.mjs'] }],
  [
    { type: 'module', module: './guard.mjs' },
    { command: './guard.mjs', name: './guard.mjs' },
  ],
  [
    { type: 'prompt', prompt: 'Safe?', model: 'small' },
    { command: 'Safe?', model: 'small' },
  ],
])('%j is a hook if its dialect knows the type', (hook, expected) => {
  const { definitions, problems } = definedAs(hook);
  expect(problems).toEqual([]);
  expect(definitions).toMatchObject([expected]);
});

test.each([
  [{ type: 'function' }, 'type', 'write one of "command", "live", "module", "http", "prompt"'],
  [{ type: 'http' }, 'url', 'write a URL that begins with https://'],
  [{ type: 'http', url: 'https://me:secret@a.example/' }, 'url', 'holds no password'],
  [{ type: 'http', url: 'https://a.example/', headers: { A: 1 } }, 'headers', 'object of strings'],
  [{ type: 'module', module: ' ' }, 'module', 'write the path of the file'],
  [{ type: 'prompt', prompt: 1 }, 'prompt', 'write what the model should judge'],
  [{ type: 'live', command: 'x', concurrency: 0 }, 'concurrency', 'whole number of at least 1'],
  [{ type: 'live', command: 'x', args: 'y' }, 'args', 'make it an array of strings'],
  [{ type: 'command', command: 'x', url: 'y' }, 'url', 'it belongs to a hook of type "http"'],
])('%j is one problem that says where it is and how to fix it', (hook, field, fix) => {
  const { problems } = definedAs(hook);
  expect(problems).toMatchObject([
    { place: `hooks.BeforeTool[0].hooks[0].${field}`, fix: expect.stringContaining(fix) },
  ]);
});

async function fire(hook: object, files: Record<string, string> = {}, more: object = {}) {
  const cwd = project(files);
  const hooks = { BeforeTool: [{ hooks: [hook] }] } as never;
  const session = await startSession(hooks, { cwd, dialects: [all], ...more });
  onTestFinished(() => session.config.getHookSystem()?.dispose());
  const result = await session.fire('BeforeTool', someFields.BeforeTool);
  return { cwd, session, result, reason: result.finalOutput?.getBlockReason() };
}

const python = `
import json, os, sys
open("pid", "w").write(str(os.getpid()))
for line in sys.stdin:
    event = json.loads(line)
    output = {"decision": "deny", "reason": "live " + event["input"]["tool_name"]}
    print(json.dumps({"id": event["id"], "output": output}), flush=True)
`;

test('a module hook can deny', async () => {
  const hook = { type: 'module', module: './guard.mjs' };
  const code =
    'export default ({ tool_name }) => ({ decision: "deny", reason: `module ${tool_name}` })';
  expect((await fire(hook, { 'guard.mjs': code })).reason).toBe('module write_file');
});

test('a live process can deny, and ends with the hook system', async () => {
  const hook = { type: 'live', command: 'python3', args: ['guard.py'] };
  const { cwd, session, reason } = await fire(hook, { 'guard.py': python });
  expect(reason).toBe('live write_file');
  const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
  expect(isAlive(pid)).toBe(true);
  session.config.getHookSystem()?.dispose();
  await vi.waitUntil(() => !isAlive(pid), { timeout: 15_000 });
});

test('a server can deny, and its status is part of the result', async () => {
  const server = createServer((_, response) =>
    response.end('{"decision":"deny","reason":"http"}'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { result, reason } = await fire({ type: 'http', url: `http://127.0.0.1:${port}/` });
  expect(reason).toBe('http');
  expect(result.results).toMatchObject([{ httpStatus: 200 }]);
});

test('a server that fails blocks if its settings say so, and its status is in the result', async () => {
  const server = createServer((_, response) => response.writeHead(500).end('broken'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const hook = { type: 'http', url: `http://127.0.0.1:${port}/`, onFailure: 'block' };
  const { result, reason } = await fire(hook);
  expect(reason).toContain('the server answered with status 500: broken');
  expect(result.results).toMatchObject([{ httpStatus: 500, exitCode: null, status: 'failed' }]);
});

test('a prompt hook asks a model that the host provides', async () => {
  const model = modelFromTurns([{ text: '{"ok":false,"reason":"Too risky."}' }]);
  const hook = { type: 'prompt', prompt: 'Is $ARGUMENTS safe?' };
  expect((await fire(hook, {}, { getHookModel: () => model })).reason).toBe('Too risky.');
});

test('a prompt without a model is a failure, which is reported', async () => {
  const { session, result } = await fire({ type: 'prompt', prompt: 'Safe?' });
  expect(result.success).toBe(false);
  expect(session.warnings.join()).toContain('there is no model to ask');
});

test.each([
  [{ type: 'module', command: './guard.mjs' }, ['guard.mjs']],
  [{ type: 'live', command: 'python3 guard.py' }, ['guard.py']],
  [{ type: 'live', command: 'python3', args: ['guard.py'], place: 'hooks' }, ['guard.py']],
  [{ type: 'http', command: 'https://a.example/guard.py' }, []],
  [{ type: 'prompt', command: 'guard.py' }, []],
] as const)('the scripts that count for the trust of %j are %j', async (hook, expected) => {
  const cwd = project({ 'guard.mjs': '', 'guard.py': '' });
  const { scripts, unfollowed } = await scriptFiles({ ...hook, env: {} }, cwd);
  expect(scripts.map(({ path }) => path)).toEqual(expected);
  expect(unfollowed).toEqual([]);
});
