/**
 * Stands for an MCP client: starts the server with `hookmachine mcp --` before its command, as an entry in
 * the client's configuration would, and calls its tools.
 */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const hookmachine =
  process.argv[2] ?? fileURLToPath(new URL('../../../dist/hookmachine.cjs', import.meta.url));

const proxy = spawn(
  process.execPath,
  [hookmachine, 'mcp', '--trust', '--', process.execPath, 'server.mjs'],
  { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] },
);
const answers = createInterface({ input: proxy.stdout })[Symbol.asyncIterator]();
const send = (message) => proxy.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

let id = 0;
async function ask(method, params) {
  send({ id: ++id, method, params });
  return JSON.parse((await answers.next()).value).result;
}

async function call(name, input) {
  const { content, isError } = await ask('tools/call', { name, arguments: input });
  console.log(`${name} ${JSON.stringify(input)}`);
  for (const { text } of content) console.log(`  ${isError ? 'denied: ' : ''}${text}`);
}

await ask('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'example', version: '1.0.0' },
});
send({ method: 'notifications/initialized' });
await call('write_note', { text: 'Buy milk.' });
await call('write_note', { text: 'The password is hunter2.' });
await call('read_notes', {});
proxy.stdin.end();
