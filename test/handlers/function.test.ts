import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { HookFunction } from '../../machines/hook-process.ts';
import { createConfig, executeToolWithHooks } from '../../src/index.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { answerOf, runHandler } from './run-handler.ts';

const call = (hook: HookFunction, options?: Parameters<typeof answerOf>[2]) =>
  answerOf('', { kind: 'function', call: hook }, options);

test('a function receives the event and answers with an object', async () => {
  const said = await call((input: object) => ({ decision: 'deny', input }), { input: { a: 1 } });
  expect(said).toEqual({ decision: 'deny', input: { a: 1 } });
});

test.each([undefined, null])('a function that returns %s has no opinion', async (nothing) => {
  expect(await call(() => nothing)).toBeUndefined();
});

test('a function cannot change the event that others receive', async () => {
  const input = { a: 1 };
  await call((own: { a: number }) => void (own.a = 2), { input });
  expect(input).toEqual({ a: 1 });
});

const circle: Record<string, unknown> = {};
circle['self'] = circle;

test.each<[string, HookFunction, string | RegExp]>([
  [
    'throws',
    () => {
      throw new Error('no luck');
    },
    'no luck',
  ],
  ['rejects', () => Promise.reject(new Error('later')), 'later'],
  [
    'throws a non-error',
    () => {
      // oxlint-disable-next-line typescript/only-throw-error -- hooks may
      throw 'a text';
    },
    'a text',
  ],
  ['answers with a string', () => 'yes', 'it answered with a string; return an object, or nothing'],
  ['answers with an array', () => [], 'it answered with an array; return an object, or nothing'],
  [
    'answers with a circular object',
    () => circle,
    'its answer has no JSON form; return plain data',
  ],
  [
    'answers with too much',
    () => ({ text: 'x'.repeat(11 * 1024 * 1024) }),
    'its answer is over 10 MiB; answer with less',
  ],
])('a function that %s fails', async (_, hook, message) => {
  expect(await call(hook)).toBe(message);
});

test('a function that exceeds its deadline is not waited for, and its signal is aborted', async () => {
  let isAborted = false;
  const hook: HookFunction = (_, { signal }) => {
    signal.addEventListener('abort', () => (isAborted = true));
    return new Promise(() => undefined);
  };
  const outcome = await runHandler('', { kind: 'function', call: hook }, { timeout: 1 });
  expect(outcome).toMatchObject({ status: 'timedOut', exit: { exitCode: null } });
  expect(isAborted).toBe(true);
});

test('the signal of a function that has answered is aborted, which ends what it left running', async () => {
  let left: AbortSignal | undefined;
  const hook: HookFunction = (_, { signal }) => {
    left = signal;
    return { decision: 'allow' };
  };
  expect(await call(hook)).toEqual({ decision: 'allow' });
  expect(left?.aborted).toBe(true);
});

test('a cancelled function is not waited for', async () => {
  const abort = new AbortController();
  const hook = () => {
    abort.abort();
    return new Promise(() => undefined);
  };
  const options = { cancel: abort.signal };
  const outcome = await runHandler('', { kind: 'function', call: hook }, options);
  expect(outcome).toMatchObject({ status: 'cancelled', reason: 'enough' });
});

test('a function that may not run is not called', async () => {
  const untrusted = new Error('it is not trusted');
  let isCalled = false;
  const said = await call(() => void (isCalled = true), { admit: () => Promise.reject(untrusted) });
  expect([said, isCalled]).toEqual(['it is not trusted', false]);
});

test("functions in an embedder's settings guard its tools", async () => {
  const config = createConfig({
    cwd: tempFolder(),
    settings: {
      enableHooks: true,
      hooks: {
        BeforeTool: [
          {
            matcher: 'write_file',
            hooks: [
              {
                type: 'function',
                call: ({ tool_input }: { tool_input: { file_path: string } }) =>
                  tool_input.file_path === '.env'
                    ? { decision: 'deny', reason: 'Secrets stay as they are.' }
                    : undefined,
              },
              {
                type: 'function',
                call: async () => {
                  await sleep(1);
                  return { hookSpecificOutput: { tool_input: { content: 'two' } } };
                },
              },
            ],
          },
        ],
      },
    },
  });
  const write = (file_path: string) =>
    executeToolWithHooks(config, 'write_file', { file_path, content: 'one' }, async (input) => ({
      llmContent: JSON.stringify(input),
      returnDisplay: '',
    }));
  expect((await write('.env')).llmContent).toContain('Secrets stay as they are.');
  expect((await write('a.txt')).llmContent).toBe('{"file_path":"a.txt","content":"two"}');
});

test('a function that fails is reported, and blocks if its settings say so', async () => {
  const warnings: string[] = [];
  const noLuck = new Error('no luck');
  const run = async (onFailure: 'allow' | 'block') => {
    const hook = {
      type: 'function' as const,
      name: 'guard',
      onFailure,
      call: () => Promise.reject(noLuck),
    };
    const config = createConfig({
      cwd: tempFolder(),
      settings: { enableHooks: true, hooks: { BeforeTool: [{ hooks: [hook] }] } },
      onWarning: (line) => warnings.push(line),
    });
    return executeToolWithHooks(config, 'write_file', {}, async () => ({
      llmContent: 'written',
      returnDisplay: '',
    }));
  };
  expect((await run('allow')).llmContent).toBe('written');
  expect(warnings.join()).toContain('no luck');
  expect((await run('block')).llmContent).toContain('no luck');
});
