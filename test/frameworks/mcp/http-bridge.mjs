/**
 * `http-bridge.mjs COMMAND…`: serves an MCP server that speaks over stdio over Streamable HTTP, a process of its own
 * for each session. The conformance suite knows no other way to a server; messages pass as they are.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const [program, ...args] = process.argv.slice(2);
const sessions = new Map();

async function newSession() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  server.stdin.on('error', () => undefined);
  /** Requests that are open, the last one first: what the server says meanwhile belongs to it. */
  const open = [];
  Object.assign(transport, {
    onmessage(message) {
      if ('method' in message && 'id' in message) open.unshift(message.id);
      server.stdin.write(`${JSON.stringify(message)}\n`);
    },
    onclose: () => server.stdin.end(),
  });
  createInterface(server.stdout).on('line', (line) => {
    const message = JSON.parse(line);
    const isAnswer = !('method' in message);
    const place = isAnswer ? open.indexOf(message.id) : -1;
    if (place !== -1) open.splice(place, 1);
    const related = isAnswer ? {} : { relatedRequestId: open[0] };
    transport.send(message, related).catch(() => undefined);
  });
  await transport.start();
  return transport;
}

async function answer(request, response) {
  const known = sessions.get(request.headers['mcp-session-id']);
  await (known ?? (await newSession())).handleRequest(request, response);
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
