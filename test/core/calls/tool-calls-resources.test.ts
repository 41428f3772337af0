import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { fromCallback } from 'xstate';
import {
  hookEventMachine,
  type HookEventInput,
  type HookLane,
} from '../../../machines/hook-event.ts';
import { hookProcessMachine, type ProcessReport } from '../../../machines/hook-process.ts';
import { toolCallMachine } from '../../../machines/tool-call.ts';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { runToolCall } from '../../../src/core/calls/run-tool-call.ts';
import { runMachine } from '../../../src/core/run/run-machine.ts';
import { someInput, written } from '../../support/call-tool.ts';
import { collectGarbage, heapUsed } from '../../support/heap-used.ts';
import { inParallel, startSession } from '../../support/session.ts';
import { waitUntil } from '../../support/until.ts';

const request = { id: '1', name: 'write_file', input: someInput };

const write = () => Promise.resolve(written);

/** Node's own warnings while a test runs. */
function nodeWarnings(): Error[] {
  const warnings: Error[] = [];
  const keep = (warning: Error): void => void warnings.push(warning);
  process.on('warning', keep);
  onTestFinished(() => void process.off('warning', keep));
  return warnings;
}

test.each([
  ['inspected', () => undefined],
  ['not inspected', undefined],
])('1,000 calls on one signal, %s, need only one listener', async (_, inspect) => {
  const warnings = nodeWarnings();
  const { config } = await startSession({}, inspect && { inspect });
  const { signal } = new AbortController();
  for (let call = 0; call < 500; call++) await runToolCall(config, request, write, { signal });
  await Promise.all(
    Array.from({ length: 500 }, () => runToolCall(config, request, write, { signal })),
  );
  await new Promise(setImmediate);
  expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
  expect(warnings).toEqual([]);
});

test('calls whose hooks run need no more than one listener', async () => {
  const warnings = nodeWarnings();
  const { config } = await startSession({ BeforeTool: inParallel('true', 'exit 1') });
  const { signal } = new AbortController();
  await Promise.all(
    Array.from({ length: 20 }, () => runToolCall(config, request, write, { signal })),
  );
  expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
  expect(warnings).toEqual([]);
});

/** A process that ends as soon as it begins. */
const instantProcess = fromCallback(({ sendBack }) => {
  const exit = { exitCode: 0, signal: null, stdout: '', stderr: '', truncated: [], durationMs: 0 };
  const report = (said: ProcessReport): void => sendBack(said);
  report({ type: 'process.started', pid: 0 });
  report({ type: 'process.exited', left: { living: 'nothing', output: true } });
  report({ type: 'process.closed', exit });
});

const planOf = (mode: HookLane['mode']): HookEventInput => ({
  event: 'BeforeTool',
  hooks: [{ name: 'a' }, { name: 'b' }],
  lanes: [{ dialect: 'llxprt', mode, positions: [0, 1] }],
  payload: {},
  rules: {
    prepare: ({ name }) => ({
      name,
      timeout: 60_000,
      command: { command: '', cwd: '', env: {}, stdin: () => '' },
    }),
    read: () => ({ decision: undefined, stop: false, status: 'ok' }),
    merge: () => ({ blocked: false, stop: false }),
  },
  reports: { answered: () => undefined, decided: () => undefined },
});

test('machines do not leak memory in 10,000 tool calls with hooks before and after', async () => {
  const hookProcess = hookProcessMachine.provide({ actors: { process: instantProcess as never } });
  const hookEvent = hookEventMachine.provide({ actors: { hookProcess } });
  const toolCall = toolCallMachine.provide({ actors: { hookEvent } });
  const { signal } = new AbortController();
  const run = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count++) {
      const { status } = await runMachine(
        toolCall,
        {
          id: `call-${count}`,
          toolName: 'write_file',
          toolInput: {},
          ports: {
            hooksBefore: () => planOf('parallel'),
            hooksAfter: () => planOf('sequential'),
            rewrite: (toolInput) => toolInput,
            execute: () => Promise.resolve({}),
            failure: (error) => ({ error }),
          },
        },
        { signal },
      );
      expect(status).toBe('done');
    }
  };
  // Until V8 has compiled most of it, which takes memory too.
  await run(3_000);
  const before = heapUsed();
  await run(10_000);
  // A leak like XState’s own, an event type that is kept for ever, is 340 bytes per call.
  expect((heapUsed() - before) / 10_000).toBeLessThan(100);
});

test.each(['without a signal', 'on a signal'])(
  'a running call %s takes little memory',
  async (how) => {
    const signal = how === 'on a signal' ? new AbortController().signal : undefined;
    const { config } = await startSession({ AfterTool: inParallel('true') });
    const enders: (() => void)[] = [];
    const unending = (): Promise<never> =>
      new Promise((_resolve, reject) => enders.push(() => reject(new Error('over'))));
    const calls: Promise<unknown>[] = [];
    const start = async (count: number): Promise<void> => {
      for (let call = 0; call < count; call++)
        calls.push(executeToolWithHooks(config, 'write_file', someInput, unending, { signal }));
      await waitUntil(() => enders.length === calls.length);
    };
    await start(300);
    const before = heapUsed();
    await start(2_000);
    expect((heapUsed() - before) / 2_000).toBeLessThan(12 * 1024);
  },
);

test('calls that can no longer end are garbage collected', async () => {
  const { config } = await startSession({ AfterTool: inParallel('true') });
  let begun = 0;
  const unending = (): Promise<never> => {
    begun++;
    return new Promise(() => undefined);
  };
  const begin = (): WeakRef<object> => {
    const input = { file_path: 'a.txt' };
    void executeToolWithHooks(config, 'write_file', input, unending);
    return new WeakRef(input);
  };
  const inputs = Array.from({ length: 500 }, begin);
  await waitUntil(() => begun === 500);
  await waitUntil(() => {
    collectGarbage();
    return inputs.every((input) => input.deref() === undefined);
  });
});
