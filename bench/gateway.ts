import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { starterFile } from './engine.ts';
import type { Row } from './results.ts';
import { inTurns } from './rounds.ts';
import { type Surroundings, writeSettings } from './surroundings.ts';

export const gatewayColumns = ['gateway', 'direct', 'plain proxy', 'added'];

/** How long a request is: an agent's grows to this after some files. */
const requestBytes = 200_000;

const piece = (text: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`;

const before = [
  { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } } }, // prettier-ignore
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
];
const after = [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
];
const written = (events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

/** Streams as many pieces as the last part of the path says. */
const provider = (): Server =>
  createServer((asked, response) => {
    const pieces = Number(/pieces=(\d+)/.exec(asked.url ?? '')?.[1] ?? 1);
    asked.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(written(before));
      let left = pieces;
      const write = (): void => {
        while (left > 0) {
          left--;
          if (!response.write(piece('Some words of an answer. '))) {
            response.once('drain', write);
            return;
          }
        }
        response.end(written(after));
      };
      write();
    });
  });

/** The least that standing between an agent and its model takes. */
const plainProxy = (to: number): Server =>
  createServer((asked, response) => {
    const onward = request(
      {
        port: to,
        host: '127.0.0.1',
        path: asked.url,
        method: asked.method,
        headers: asked.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    asked.pipe(onward);
  });

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

interface Timed {
  readonly firstByte: number;
  readonly whole: number;
}

/** Asks for an answer, and says when it came. */
function ask(url: string, pieces: number, body: string): Promise<Timed> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}/v1/messages?pieces=${pieces}`,
      { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } }, // prettier-ignore
      (answer) => {
        let firstByte: number | undefined;
        answer.on('data', () => (firstByte ??= performance.now() - startedAt));
        answer.once('end', () => resolve({ firstByte: firstByte!, whole: performance.now() - startedAt })); // prettier-ignore
        answer.once('error', reject);
      },
    );
    asked.once('error', reject);
    asked.end(body);
  });
}

const bodyOf = (text: string): string =>
  JSON.stringify({ model: 'm', max_tokens: 9, stream: true, messages: [{ role: 'user', content: text }] }); // prettier-ignore

const long = bodyOf('An innocent line of a file.\n'.repeat(requestBytes / 28));

interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly settings: object;
  readonly what: 'firstByte' | 'whole';
  readonly pieces: number;
  readonly body: string;
  /** How many calls are made at once; default: one. */
  readonly atOnce?: number;
}

const module = (more: object = {}): object => ({
  hooks: [{ type: 'module', module: './hook.mjs', ...more }],
});

const scenarios: readonly Scenario[] = [
  { id: 'gateway-first', title: 'first byte, no hook', settings: {}, what: 'firstByte', pieces: 1, body: bodyOf('Hi') }, // prettier-ignore
  { id: 'gateway-long', title: 'first byte of a long request, no hook', settings: {}, what: 'firstByte', pieces: 1, body: long }, // prettier-ignore
  { id: 'gateway-hook', title: 'first byte, a module looks at the request', settings: { hooks: { 'model.before': [module()] } }, what: 'firstByte', pieces: 1, body: bodyOf('Hi') }, // prettier-ignore
  { id: 'gateway-secrets', title: 'first byte of a long request, secrets taken out', settings: { guards: { secrets: 'on' } }, what: 'firstByte', pieces: 1, body: long }, // prettier-ignore
  { id: 'gateway-stream', title: '2,000 pieces, no hook', settings: {}, what: 'whole', pieces: 2_000, body: bodyOf('Hi') }, // prettier-ignore
  { id: 'gateway-edited', title: '2,000 pieces through a streaming module', settings: { hooks: { 'model.after': [module({ stream: { holdBack: 0 } })] } }, what: 'whole', pieces: 2_000, body: bodyOf('Hi') }, // prettier-ignore
  { id: 'gateway-many', title: '200 calls at once, no hook', settings: {}, what: 'whole', pieces: 20, body: bodyOf('Hi'), atOnce: 200 }, // prettier-ignore
];

interface Started {
  readonly url: string;
  readonly child: ChildProcess;
}

/** Starts the built gateway in a project with these settings. */
async function startGateway(
  cwd: string,
  settings: object,
  to: number,
  env: NodeJS.ProcessEnv,
): Promise<Started> {
  writeSettings(cwd, settings, '.hookmachine');
  writeFileSync(join(cwd, 'hook.mjs'), 'export default () => undefined;\n');
  const provided = `anthropic=http://127.0.0.1:${to}`;
  const child = spawn(starterFile, ['gateway', '--json', '--port', '0', '--provider', provided], {
    cwd,
    env: { ...env, HOOKMACHINE_TRUST: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) =>
    createInterface({ input: child.stdout }).once('line', resolve),
  );
  return { url: `${(JSON.parse(line) as { readonly url: string }).url}/anthropic`, child };
}

/** The greatest memory of a process while a long stream passes through, in MB above what it had. */
async function memoryOf({ url, child }: Started): Promise<number> {
  const resident = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;
  await ask(url, 1, bodyOf('Hi'));
  const atFirst = resident();
  let most = atFirst;
  const watching = setInterval(() => (most = Math.max(most, resident())), 20);
  await ask(url, 200_000, bodyOf('Hi'));
  clearInterval(watching);
  return most - atFirst;
}

/** Measures what the gateway adds to a provider's answer, in ms. */
export async function gateways(rounds: number, { cwd, env }: Surroundings): Promise<Row[]> {
  const model = provider();
  const to = await listen(model);
  const proxy = plainProxy(to);
  const plain = await listen(proxy);
  const rows: Row[] = [];
  for (const { id, title, settings, what, pieces, body, atOnce = 1 } of scenarios) {
    const started = await startGateway(cwd, settings, to, env);
    const sample = (url: string) => async (): Promise<readonly number[]> => {
      const calls = await Promise.all(Array.from({ length: atOnce }, () => ask(url, pieces, body)));
      return calls.map((call) => call[what]);
    };
    for (let warmUp = 0; warmUp < (pieces > 100 ? 20 : 200); warmUp++)
      await ask(started.url, pieces, body);
    const { values, ratio } = await inTurns(
      new Map([
        ['gateway', sample(started.url)],
        ['direct', sample(`http://127.0.0.1:${to}`)],
        ['plain proxy', sample(`http://127.0.0.1:${plain}`)],
      ]),
      { rounds },
    );
    const added = values['gateway']! - values['direct']!;
    const targets = what === 'firstByte' ? [{ atMost: 5, column: 'added' }] : [];
    rows.push({ id, title, values: { ...values, added }, ...(ratio && { ratio }), targets });
    if (id === 'gateway-stream')
      rows.push({ id: 'gateway-memory', title: '200,000 pieces: MB more than before', values: { gateway: await memoryOf(started) } }); // prettier-ignore
    started.child.kill();
    await new Promise((resolve) => started.child.once('close', resolve));
  }
  for (const server of [model, proxy]) {
    server.close();
    server.closeAllConnections();
  }
  return rows;
}
