/** A separate host that runs all hostile hooks, under the policies that it is given, and prints what came of them and of it. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '../../faults/processes.ts';
import { executeToolWithHooks } from '../../src/core/calls/run-tool-call.ts';
import { llxprt } from '../../src/hosts/llxprt/index.ts';
import type { Dialect } from '../../src/core/dialects/dialect.ts';
import { createConfig } from '../../src/hosts/system/create-config.ts';
import type { Model } from '../../src/core/translate/model.ts';
import { defineHooks } from '../../src/settings/files/define-hooks.ts';
import type { Settings } from '../../src/settings/format/json-schema.ts';
import { hostiles, routes, type Hostile } from './hostile-handlers.ts';

/** What came of one call. */
export interface Came {
  readonly name: string;
  readonly policy: Policy;
  readonly ran: boolean;
  readonly isReported: boolean;
  readonly ms: number;
}

/** What the host prints. */
export interface Report {
  readonly calls: readonly Came[];
  readonly uncaught: readonly string[];
  readonly processes: number;
  readonly threads: number;
  /** The longest time in which nothing else could run, in ms. */
  readonly longestPause: number;
}

export type Policy = 'block' | 'allow';
type Act = (options: { readonly signal: AbortSignal }) => unknown;

const uncaught: string[] = [];
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error) => {
    uncaught.push(`${event}: ${String(error)}`);
  });

const never = new Promise<never>(() => undefined);
const unreadable = (): Error =>
  Object.defineProperty(new Error('no'), 'message', {
    get() {
      throw new Error('it was read');
    },
  });
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
function raise(thrown: unknown): never {
  // oxlint-disable-next-line typescript/only-throw-error -- that is what is tried
  throw thrown;
}
function circle(): object {
  const one: Record<string, unknown> = {};
  one['one'] = one;
  return one;
}
function deep(): object {
  let one = {};
  for (let depth = 0; depth < 200_000; depth++) one = { one };
  return one;
}

const common: Readonly<Record<string, Act>> = {
  'returns a number': () => 5,
  'returns what cannot be read': () => ({
    get decision() {
      return raise(null);
    },
    get text() {
      return raise(null);
    },
  }),
  'returns a revoked proxy': revoked,
  'never settles': () => never,
  // oxlint-disable-next-line unicorn/no-thenable -- that is what is tried
  'settles never, as a thenable': () => ({ then: () => undefined }),
  'throws null': () => raise(null),
  'throws what cannot be read': () => raise(unreadable()),
  'throws when it is aborted': ({ signal }) => {
    signal.addEventListener('abort', () => raise(new Error('aborted')));
    return never;
  },
};

const functions: Readonly<Record<string, Act>> = {
  ...common,
  'returns a text': () => 'no',
  'returns a list': () => [1],
  'returns a symbol': () => Symbol('no'),
  'returns a circle': circle,
  'returns a large number': () => ({ a: 1n }),
  'returns what cannot be written': () => ({ toJSON: () => raise(null) }),
  'returns something deep': deep,
  'returns something large': () => ({ a: 'x'.repeat(11e6) }),
  'returns what cannot be awaited': () => ({
    // oxlint-disable-next-line unicorn/no-thenable -- that is what is tried
    get then() {
      return raise(null);
    },
  }),
  'throws a revoked proxy': () => raise(revoked()),
  'throws an error whose message throws': () => raise(unreadable()),
  'throws an error whose stack throws': () =>
    raise(
      Object.defineProperty(new Error('no'), 'stack', {
        get() {
          throw new Error('it was read');
        },
      }),
    ),
  'has listeners of every kind that throw when it is aborted': ({ signal }) => {
    signal.addEventListener('abort', () => raise(null), { once: true });
    signal.addEventListener('abort', { handleEvent: () => raise(null) });
    // oxlint-disable-next-line typescript/no-misused-promises -- that is what is tried
    signal.addEventListener('abort', async () => raise(null));
    signal.addEventListener('abort', () => revoked());
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- that is what is tried
    signal.onabort = () => raise(null);
    return never;
  },
  'returns an object without a prototype': () => Object.create(null) as object,
  'changes its event': () => undefined,
  denies: () => ({ decision: 'deny', reason: 'no' }),
};

const models: Readonly<Record<string, Act>> = {
  ...common,
  'returns nothing': () => undefined,
  'returns nonsense': () => ({ text: 'I am a model' }),
  'returns a judgement of the wrong type': () => ({ text: '{"ok":"yes"}' }),
  denies: () => ({ text: '{"ok":false,"reason":"no"}' }),
};

const reply = (body: string, more = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;

/** Writes again and again, as fast as the other side reads. */
function flood(socket: Socket, piece: string): void {
  while (socket.writable && socket.write(piece));
  if (socket.writable) socket.once('drain', () => flood(socket, piece));
}

const servers: Readonly<Record<(typeof routes)[number], (socket: Socket) => void>> = {
  'hangs up': (socket) => void socket.destroy(),
  'sends garbage': (socket) => void socket.end('\0\u{1}\u{2}garbage\r\n\r\n'),
  'answers with a text': (socket) => void socket.end(reply('no')),
  'answers with a list': (socket) => void socket.end(reply('[1]')),
  'answers with deep JSON': (socket) =>
    void socket.end(reply(`${'{"a":'.repeat(200_000)}1${'}'.repeat(199_999)}`)),
  'breaks off its answer': (socket) =>
    void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'),
  'sends endless headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    flood(socket, `a: ${'x'.repeat(1_000)}\r\n`);
  },
  'changes the protocol': (socket) =>
    void socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    ),
  floods: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    flood(socket, 'x'.repeat(100_000));
  },
  fails: (socket) => void socket.end('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'),
  'redirects forever': (socket) =>
    void socket.end(
      `HTTP/1.1 307 There\r\nlocation: /${routes.indexOf('redirects forever')}\r\ncontent-length: 0\r\n\r\n`,
    ),
  'never answers': () => undefined,
  'continues forever': (socket) => flood(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)),
  'breaks its chunks': (socket) =>
    void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
};

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (head) => {
    const [, route] = /^POST \/(\d+)/.exec(head.toString('latin1')) ?? [];
    servers[routes[Number(route)]!](socket);
  });
});
server.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** LLxprt's protocol, with hooks of every kind from settings in code. */
const dialect: Dialect = {
  ...llxprt,

  find(site) {
    const kinds = ['command', 'live', 'module', 'http', 'prompt', 'function'] as const;
    const read = site.settings().map((from) => defineHooks(from, { kinds }));
    return {
      definitions: read.flatMap(({ definitions }) => definitions),
      problems: read.flatMap(({ problems }) => problems),
      unasked: [],
    };
  },
};

const modelNamed = (name = ''): Model => ({
  name,
  generate: (_, options) => models[name]!(options) as never,
});

/** Writes what a hook needs into the folder, and returns its entry in the settings. */
function entryOf(
  { name, hook: { code, ...hook } }: Hostile,
  policy: Policy,
  folder: string,
): object {
  if (typeof code === 'string') writeFileSync(join(folder, String(hook['module'])), code);
  return {
    ...hook,
    name,
    ...(hook['type'] === 'http' && {
      url: `${origin}/${String(hook['url'])}`,
      allowedUrls: [`${origin}/*`],
    }),
    ...(hook['type'] === 'function' && {
      call: (input: Record<string, unknown>, options: { signal: AbortSignal }) => {
        for (const key of Object.keys(input)) delete input[key];
        return functions[String(hook['call'])]!(options);
      },
    }),
    onFailure: policy,
  };
}

async function runAll(policy: Policy, folder: string): Promise<Came[]> {
  const warnings: string[] = [];
  const groups = hostiles.map((hostile, index) => ({
    matcher: `^tool_${index}$`,
    hooks: [entryOf(hostile, policy, folder)],
  }));
  const config = createConfig({
    cwd: folder,
    dialects: [dialect],
    settings: { enableHooks: true, hooks: { BeforeTool: groups } } as unknown as Settings,
    getHookModel: modelNamed,
    onWarning: (line) => warnings.push(line),
  });
  const calls: Came[] = [];
  const call = async ({ name }: Hostile, index: number): Promise<void> => {
    const startedAt = performance.now();
    let ran = false;
    const system = config.getHookSystem()!;
    let isReported = false;
    const stop = system.on('hook:failure_diagnostic', ({ hook, message }) => {
      isReported ||= hook === name && message !== '';
    });
    await executeToolWithHooks(config, `tool_${index}`, {}, async () => {
      ran = true;
      return { llmContent: '', returnDisplay: '' };
    });
    stop();
    calls.push({ name, policy, ran, isReported, ms: performance.now() - startedAt });
  };
  const waiting = [...hostiles.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await call(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: 12 }, work));
  config.getHookSystem()?.dispose();
  return calls;
}

const tasks = (): number => readdirSync('/proc/self/task').length;

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hostile-')));
const mark = `HOSTILE_RUN=${folder}`;
process.env['HOSTILE_RUN'] = folder;
let [longestPause, last] = [0, performance.now()];
const ticking = setInterval(() => {
  longestPause = Math.max(longestPause, performance.now() - last);
  last = performance.now();
}, 20);
const before = tasks();
const calls: Came[] = [];
for (const policy of process.argv.slice(2) as Policy[]) {
  mkdirSync(join(folder, policy));
  calls.push(...(await runAll(policy, join(folder, policy))));
}
const left = (): number => processesWith(mark).filter((pid) => pid !== process.pid).length;
const mostTasks = before + 4;
for (let tries = 0; tries < 800 && (left() > 0 || tasks() > mostTasks); tries++) await sleep(10);
clearInterval(ticking);
server.close();
rmSync(folder, { recursive: true });
const report: Report = {
  calls,
  uncaught,
  processes: left(),
  threads: Math.max(0, tasks() - mostTasks),
  longestPause,
};
process.stdout.write(JSON.stringify(report), () => process.exit(0));
