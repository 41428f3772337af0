/** What hooks of every kind may do to the program that runs them. */

/** What comes of it: a failure of the hook, an answer without an opinion, or a denial. */
export type End = 'failure' | 'nothing' | 'denial';

export interface Hostile {
  readonly name: string;
  readonly hook: Readonly<Record<string, unknown>>;
  readonly end: End;
}

type Rows = Readonly<Record<string, string>>;

const commands: Rows = {
  'exits with 3': 'exit 3',
  'kills itself': 'kill -9 $$',
  'kills its group': 'kill -9 0',
  hangs: 'exec sleep 100',
  'floods its output': 'exec yes',
  'floods its errors': 'exec yes >&2',
  'is missing': '/nowhere/guard',
  'leaves a child that floods its output': 'yes & exit 3',
  'prints deep JSON': `python3 -c 'print("{\\"a\\":" * 200000 + "1" + "}" * 200000)'; exit 3`,
  'closes its streams and fails': 'exec <&- >&- 2>&-; exit 3',
};

/** Scripts of Python: `line` is the first event. */
const live: Rows = {
  'floods its output': 'while True: sys.stdout.write("x\\n" * 10000)',
  'floods its output with answers to others':
    'while True: sys.stdout.write("{\\"id\\":99,\\"output\\":{}}\\n" * 1000)',
  'floods its output without a line': 'while True: sys.stdout.write("x" * 100000)',
  'floods its errors': 'while True: sys.stderr.write("x\\n" * 10000)',
  'ends in the middle of a line': 'sys.stdout.write("{\\"id\\":1,\\"out")',
  'ends at its first event': 'sys.exit(0)',
  'fails at its first event': 'sys.exit(1)',
  'never answers': 'time.sleep(100)',
  'answers nobody':
    'print("{\\"id\\":\\"1\\",\\"output\\":{}}\\nnull\\n[]\\n7\\n{}", flush=True); time.sleep(100)',
  'closes its output': 'os.close(1); time.sleep(100)',
  'answers with a list': 'print("{\\"id\\":1,\\"output\\":[1]}", flush=True); time.sleep(100)',
  'answers with a number': 'print("{\\"id\\":1,\\"output\\":5}", flush=True); time.sleep(100)',
  'answers with a text': 'print("{\\"id\\":1,\\"output\\":\\"no\\"}", flush=True); time.sleep(100)',
  'answers with deep JSON':
    'print("{\\"id\\":1,\\"output\\":" + "{\\"a\\":" * 200000 + "1" + "}" * 200001, flush=True); time.sleep(100)',
  'prints zeros': 'os.write(1, bytes(100000)); sys.exit(0)',
};

const liveThatAnswer: Rows = {
  'answers twice': 'print("{\\"id\\":1,\\"output\\":{}}\\n" * 2, flush=True); time.sleep(100)',
  'answers, then floods its output':
    'print("{\\"id\\":1,\\"output\\":{}}", flush=True)\nwhile True: sys.stdout.write("x\\n" * 10000)',
};

/** Modules: the code that runs when they are loaded, `body` is the function's. */
const modules: Readonly<Record<string, { readonly top?: string; readonly body?: string }>> = {
  'posts null to its parent': { top: 'parentPort.postMessage(null);', body: 'await never' },
  'posts an answer to its parent': {
    body: `parentPort.postMessage({ type: 'answered', id: 1, answer: 5 });
      parentPort.postMessage({ type: 'answered', id: 1, answer: '', printed: '' }); await never`,
  },
  'floods its parent': {
    body: 'setInterval(() => { for (let i = 0; i < 1000; i++) parentPort.postMessage({ i }); }); await never',
  },
  'posts through all that it finds': {
    body: `for (const port of [threads.workerData?.port, ...process._getActiveHandles()])
        port?.postMessage?.({ type: 'answered', id: 1, answer: '', printed: '' });
      await never`,
  },
  'looks for a way out in its surroundings': {
    top: 'const asyncHooks = await import("node:async_hooks");',
    body: 'asyncHooks.executionAsyncResource().postMessage?.(null); await never',
  },
  'closes its parent’s port': { top: 'parentPort.close();', body: 'await never' },
  'throws when it is loaded': { top: 'throw new Error("no");' },
  'throws null when it is loaded': { top: 'throw null;' },
  'cannot be parsed': { top: '}{' },
  'exits when it is loaded': { top: 'process.exit(0);' },
  exits: { body: 'process.exit(0)' },
  'throws null later': { body: 'setTimeout(() => { throw null; }); await never' },
  'throws what cannot be read later': {
    body: 'setTimeout(() => { throw hostile; }); await never',
  },
  'rejects with null later': { body: 'void Promise.reject(null); await never' },
  'swallows what it throws': {
    top: 'process.on("uncaughtException", () => {});',
    body: 'setTimeout(() => { throw new Error(); }); await never',
  },
  loops: { body: 'for (;;);' },
  'loops when it is loaded': { top: 'for (;;);' },
  'never settles': { body: 'await never' },
  'throws null': { body: 'throw null' },
  'throws what cannot be read': { body: 'throw hostile' },
  'returns a number': { body: 'return 5' },
  'returns what cannot be read': { body: 'return { get decision() { throw null; } }' },
  'returns a revoked proxy': { body: 'return revoked' },
  'returns a circle': { body: 'const a = {}; a.a = a; return a' },
  'returns something deep': {
    body: 'let a = {}; for (let i = 0; i < 2e5; i++) a = { a }; return a',
  },
  'returns something large': { body: 'return { a: "x".repeat(11e6) }' },
  'changes how answers are written': {
    top: 'JSON.stringify = () => "5";',
    body: 'return { a: 1n }',
  },
  'throws when it is aborted': {
    body: 'signal.addEventListener("abort", () => { throw null; }); await never',
  },
};

/** The routes of the server in `hostile-host.ts`. */
export const routes = [
  'hangs up',
  'sends garbage',
  'answers with a text',
  'answers with a list',
  'answers with deep JSON',
  'breaks off its answer',
  'sends endless headers',
  'changes the protocol',
  'floods',
  'fails',
  'redirects forever',
  'never answers',
  'continues forever',
  'breaks its chunks',
] as const;

/** Models and functions of `hostile-host.ts`, and what comes of them. */
export const models: Readonly<Record<string, End>> = {
  'returns nothing': 'failure',
  'returns a number': 'failure',
  'returns what cannot be read': 'failure',
  'returns a revoked proxy': 'failure',
  'returns nonsense': 'failure',
  'returns a judgement of the wrong type': 'failure',
  'throws null': 'failure',
  'throws what cannot be read': 'failure',
  'never settles': 'failure',
  'throws when it is aborted': 'failure',
  'settles never, as a thenable': 'failure',
  denies: 'denial',
};

export const functions: Readonly<Record<string, End>> = {
  'returns a number': 'failure',
  'returns a text': 'failure',
  'returns a list': 'failure',
  'returns a symbol': 'failure',
  'returns a circle': 'failure',
  'returns a large number': 'failure',
  'returns what cannot be read': 'failure',
  'returns what cannot be written': 'failure',
  'returns a revoked proxy': 'failure',
  'returns something deep': 'failure',
  'returns something large': 'failure',
  'returns what cannot be awaited': 'failure',
  'settles never, as a thenable': 'failure',
  'never settles': 'failure',
  'throws null': 'failure',
  'throws what cannot be read': 'failure',
  'throws a revoked proxy': 'failure',
  'throws an error whose message throws': 'failure',
  'throws an error whose stack throws': 'failure',
  'throws when it is aborted': 'failure',
  'has listeners of every kind that throw when it is aborted': 'failure',
  'returns an object without a prototype': 'nothing',
  'changes its event': 'nothing',
  denies: 'denial',
};

const moduleCode = ({ top = '', body = '' }: { readonly top?: string; readonly body?: string }) => `
import threads, { parentPort } from 'node:worker_threads';
const never = new Promise((resolve) => setTimeout(resolve, 100_000));
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const hostile = Object.defineProperty(new Error('no'), 'message', { get() { throw null; } });
${top}
export default async (input, { signal }) => { ${body} };
`;

/** A hook that fails may just as well be too slow. */
const timeoutFor = (end: End) => ({ timeout: end === 'failure' ? 700 : 60_000 });
const short = timeoutFor('failure');

/** All of them; a module's code is written to its file. */
export const hostiles: readonly Hostile[] = [
  ...Object.entries(commands).map(([name, command]) => ({
    name: `a command that ${name}`,
    hook: { type: 'command', command, ...short },
    end: 'failure' as const,
  })),
  ...[...Object.entries(live), ...Object.entries(liveThatAnswer)].map(([name, script]) => {
    const end = name in live ? 'failure' : 'nothing';
    const code = `import os, sys, time\nline = sys.stdin.readline()\n${script}`;
    const hook = { type: 'live', command: 'python3', args: ['-Sc', code], ...timeoutFor(end) };
    return { name: `a live hook that ${name}`, hook, end } as const;
  }),
  ...Object.entries(modules).map(([name, parts], index) => ({
    name: `a module that ${name}`,
    hook: { type: 'module', module: `./${index}.mjs`, code: moduleCode(parts), ...short },
    end: 'failure' as const,
  })),
  ...routes.map((name, index) => ({
    name: `a server that ${name}`,
    hook: { type: 'http', url: String(index), ...short },
    end: 'failure' as const,
  })),
  ...Object.entries(models).map(([name, end]) => ({
    name: `a model that ${name}`,
    hook: { type: 'prompt', prompt: 'Safe?', model: name, ...timeoutFor(end) },
    end,
  })),
  ...Object.entries(functions).map(([name, end]) => ({
    name: `a function that ${name}`,
    hook: { type: 'function', call: name, ...timeoutFor(end) },
    end,
  })),
];
