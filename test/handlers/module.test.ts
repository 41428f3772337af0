import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';
import { endModule } from '../../src/handlers/module.ts';

import { tempFolder } from '../support/temp-folder.ts';
import { answerOf, type Options, runHandler } from './run-handler.ts';

/** A module hook in a folder of its own; its worker ends with the test. */
function moduleHook(code: string, file = 'hook.mjs') {
  const cwd = tempFolder();
  const path = join(cwd, file);
  const write = (text: string): void => writeFileSync(path, text);
  write(code);
  onTestFinished(() => endModule({ command: file, cwd }));
  const kind = { kind: 'module' } as const;
  return {
    cwd,
    write,
    ask: (input: object = {}, options?: Options) =>
      answerOf(file, kind, { cwd, input, ...options }),
    run: (input: object = {}, options?: Options) =>
      runHandler(file, kind, { cwd, input, ...options }),
  };
}

/** Waits until a file is old enough for a worker that has loaded it to be kept. */
const untilSettled = () => sleep(100);

const counting = `let count = 0; export default () => ({ count: ++count });`;

test.each([
  ['a default export', 'hook.mjs', 'export default (input) => ({ input })'],
  ['an export named "hook"', 'hook.mjs', 'export const hook = async (input) => ({ input })'],
  ['a CommonJS module', 'hook.cjs', 'module.exports = (input) => ({ input })'],
  ['a CommonJS export named "hook"', 'hook.cjs', 'exports.hook = (input) => ({ input })'],
])('%s receives the event and answers', async (_, file, code) => {
  expect(await moduleHook(code, file).ask({ a: 1 })).toEqual({ input: { a: 1 } });
});

test('a module that returns nothing has no opinion', async () => {
  expect(await moduleHook('export default () => {}').ask()).toBeUndefined();
});

test('a module is loaded once for many events', async () => {
  const { ask } = moduleHook(counting);
  await untilSettled();
  expect([await ask(), await ask(), await ask()]).toEqual([
    { count: 1 },
    { count: 2 },
    { count: 3 },
  ]);
});

test('a module that has changed is loaded again', async () => {
  const { ask, write } = moduleHook(counting);
  await untilSettled();
  await ask();
  write('export default () => ({ count: "new" });');
  expect(await ask()).toEqual({ count: 'new' });
});

test('a module that is written twice in quick succession is loaded in its latest version', async () => {
  const { ask, write } = moduleHook('export default () => ({ is: "old" });');
  await ask();
  write('export default () => ({ is: "new" });');
  expect(await ask()).toEqual({ is: 'new' });
});

test('several calls of a module are in flight at once', async () => {
  const { ask } = moduleHook(`
    const waiting = [];
    export default () => new Promise((done) => {
      waiting.push(done);
      if (waiting.length === 3) waiting.reverse().forEach((one, index) => one({ index }));
    });`);
  await untilSettled();
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([
    { index: 2 },
    { index: 1 },
    { index: 0 },
  ]);
});

test('a module has the environment and the folder of a command', async () => {
  const code = `
    import { resolve } from 'node:path';
    export default () => ({ env: process.env.ITS_OWN, cwd: process.cwd(), path: resolve('a') });`;
  const { ask, cwd } = moduleHook(code);
  expect(await ask({}, { env: { ITS_OWN: 'yes' } })).toEqual({
    env: 'yes',
    cwd,
    path: join(cwd, 'a'),
  });
  expect(await ask({}, { env: { ITS_OWN: 'changed' } })).toMatchObject({ env: 'changed' });
});

test("an administrator's module has a clean environment", async () => {
  process.env['SOME_SECRET'] = 'x';
  onTestFinished(() => void delete process.env['SOME_SECRET']);
  const { ask } = moduleHook('export default () => ({ keys: Object.keys(process.env) })');
  const { keys } = (await ask({}, { isClean: true })) as { keys: string[] };
  expect(keys).toContain('PATH');
  expect(keys).not.toContain('SOME_SECRET');
});

test('a path may use the variables of its own source', async () => {
  const { cwd } = moduleHook('export default () => ({ decision: "allow" })');
  const env = { extensionPath: cwd };
  const options = { cwd: tempFolder(), env };
  onTestFinished(() => endModule({ command: '${extensionPath}/hook.mjs', cwd: options.cwd }));
  const said = await answerOf('${extensionPath}/hook.mjs', { kind: 'module' }, options);
  expect(said).toEqual({ decision: 'allow' });
});

test("the output of a module does not reach the host's, and is kept as stderr", async () => {
  const code = `
    export default () => {
      console.log('one');
      console.error('two');
      process.stdout.write('three');
    };`;
  const outcome = await moduleHook(code).run();
  expect(outcome).toMatchObject({ exit: { stdout: '', stderr: 'one\ntwo\nthree' } });
});

test.each([
  ['throws', 'export default () => { throw new Error("no luck") }', 'no luck'],
  ['rejects', 'export default async () => { throw new TypeError("no luck") }', 'no luck'],
  ['throws a non-error', 'export default () => { throw 1 }', '1'],
  [
    'answers with a string',
    'export default () => "yes"',
    'it answered with a string; return an object, or nothing',
  ],
  [
    'answers with an array',
    'export default () => []',
    'it answered with an array; return an object, or nothing',
  ],
  [
    'answers with a circular object',
    'const a = {}; a.a = a; export default () => a',
    /^Converting circular structure to JSON/,
  ],
  [
    'answers with too much',
    'export default () => ({ text: "x".repeat(11 * 1024 * 1024) })',
    'its answer is over 10 MiB; answer with less',
  ],
  ['cannot be parsed', 'export default (', 'Unexpected end of input'],
  [
    'exports no function',
    'export default 1',
    'it exports no function; export one as default, or as "hook"',
  ],
  ['fails while it is loaded', 'throw new Error("not today")', 'not today'],
  ['calls process.exit', 'export default () => process.exit(3)', 'it called process.exit(3)'],
  [
    'leaves a rejection unhandled',
    'export default () => { Promise.reject(new Error("oops")); return new Promise(() => setTimeout(() => {}, 1e6)) }',
    'it failed: oops',
  ],
  [
    'throws later',
    'export default () => new Promise(() => setImmediate(() => { throw new Error("oops") }))',
    'it failed: oops',
  ],
  [
    'exhausts its memory',
    'export default () => { const all = []; for (;;) all.push(new Array(100_000).fill(all.length + 0.5)) }',
    /^it failed: Worker terminated due to reaching memory limit/,
  ],
])('a module that %s fails, and the next event loads it again', async (_, code, message) => {
  const { ask, write } = moduleHook(code);
  await untilSettled();
  expect(await ask()).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  );
  write('export default () => ({ is: "well" })');
  expect(await ask()).toEqual({ is: 'well' });
});

test('a module that does not exist is named', async () => {
  const cwd = tempFolder();
  const said = await answerOf('none.mjs', { kind: 'module' }, { cwd });
  expect(said).toBe(
    `there is no file ${join(cwd, 'none.mjs')}; write its path from the hook's folder`,
  );
});

test.each([
  ['hook.ts', 'import { is } from "./more.ts";\nexport default (_: object) => ({ is: is("typed") as string });\n'],
  ['hook.mts', 'import { is } from "./more.ts";\nexport default (_: object) => ({ is: is("typed") });\n'],
  ['hook.cts', 'module.exports = (_: object) => ({ is: "typed" as string });\n'],
  ['hook.ts', 'module.exports = (_: object) => ({ is: "typed" as string });\n'],
])('a TypeScript module runs, whether or not Node.js strips types itself: %s %#', async (name, text) => {
  const { ask, cwd } = moduleHook(text, name);
  writeFileSync(join(cwd, 'more.ts'), 'export const is = <T>(what: T): T => what;\n');
  expect(await ask()).toEqual({ is: 'typed' });
}); // prettier-ignore

test('TypeScript that cannot be stripped is a failure that names the file', async () => {
  expect(await moduleHook('export default (: object) => 1', 'hook.ts').ask()).toMatch(/hook\.ts/);
  expect(await moduleHook('enum X { A }\nexport default () => ({})', 'hook.ts').ask()).toMatch(
    /enum/i,
  );
});

test.each([
  ['an endless loop', 'export default () => { for (;;); }'],
  ['an endless loop during loading', 'for (;;);'],
  ['a promise that never settles', 'export default () => new Promise(() => {})'],
  [
    'a load that never ends',
    'await new Promise(() => setTimeout(() => {}, 1e6)); export default 1',
  ],
])('%s runs into the deadline, and the next event is answered', async (_, code) => {
  const { ask, run, write } = moduleHook(code);
  await untilSettled();
  expect(await run({}, { timeout: 1 })).toMatchObject({ status: 'timedOut' });
  write('export default () => ({ is: "well" })');
  expect(await ask()).toEqual({ is: 'well' });
});

test('a call that never settles is reported as such, and does not affect other calls', async () => {
  const { ask, run } = moduleHook(`
    let aborted = 0;
    export default ({ hang }, { signal }) =>
      hang ? new Promise(() => signal.addEventListener('abort', () => aborted++)) : { aborted };`);
  await untilSettled();
  await ask();
  expect(await run({ hang: true }, { timeout: 1 })).toMatchObject({ status: 'timedOut' });
  expect(await ask()).toEqual({ aborted: 1 });
});

test('calls that wait behind an endless loop are answered by another worker', async () => {
  const { ask, run } = moduleHook(
    'export default ({ loop }) => { while (loop); return { is: "well" } }',
  );
  await untilSettled();
  await ask();
  const [looping, ...others] = await Promise.all([
    run({ loop: true }, { timeout: 1 }),
    ask(),
    ask(),
  ]);
  expect(looping).toMatchObject({ status: 'timedOut' });
  expect(others).toEqual([{ is: 'well' }, { is: 'well' }]);
});

test('calls that have begun fail with the worker', async () => {
  const { ask } = moduleHook(
    'export default ({ exit }) => exit ? process.exit(1) : new Promise(() => {})',
  );
  await untilSettled();
  expect(await Promise.all([ask(), ask({ exit: true })])).toEqual([
    'it called process.exit(1)',
    'it called process.exit(1)',
  ]);
});

test('a cancelled call is not waited for', async () => {
  const { run } = moduleHook('export default () => new Promise(() => {})');
  const abort = new AbortController();
  const outcome = run({}, { cancel: abort.signal });
  abort.abort();
  expect(await outcome).toMatchObject({ status: 'cancelled' });
});

test('a denial counts even if the module fails before anybody has read it', async () => {
  const { ask } = moduleHook(
    `export default ({ deny }) => {
      if (!deny) return {};
      setTimeout(() => { throw new Error('too late'); });
      return { decision: 'deny' };
    }`,
  );
  await untilSettled();
  const answers: unknown[] = [];
  for (let times = 0; times < 8; times++) {
    await ask();
    const answer = ask({ deny: true });
    await sleep(0);
    // The host is busy until the thread has ended.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
    answers.push(await answer);
  }
  expect(answers).toEqual(answers.map(() => ({ decision: 'deny' })));
});
