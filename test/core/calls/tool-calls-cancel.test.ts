import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { callTool, written } from '../../support/call-tool.ts';
import { inParallel, inSequence, print } from '../../support/session.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { isAlive, untilWritten } from '../../support/until.ts';

let abort: AbortController;
let cwd: string;
beforeEach(() => {
  abort = new AbortController();
});
const inFolder = () => {
  cwd = tempFolder();
  return { signal: abort.signal, config: { cwd } };
};

/** A hook that writes its pid and then runs for a long time. */
const working = 'echo $$ >pid; sleep 30';
const running = async (): Promise<number> => Number(await untilWritten(join(cwd, 'pid')));

const cancelledResult = (reason: string) => ({
  llmContent: `The tool call was cancelled: ${reason}`,
  returnDisplay: `The tool call was cancelled: ${reason}`,
  error: { message: `The tool call was cancelled: ${reason}`, type: 'cancelled' },
});

describe('a call that is cancelled', () => {
  test('a call that is cancelled before it begins runs nothing', async () => {
    abort.abort('too late');
    const { toolResult, outcome, ran } = await callTool(
      { BeforeTool: inParallel('touch before-ran') },
      inFolder(),
    );
    expect(ran).toEqual([]);
    expect(existsSync(join(cwd, 'before-ran'))).toBe(false);
    expect(outcome).toMatchObject({ status: 'cancelled', reason: 'too late' });
    expect(toolResult).toEqual(cancelledResult('too late'));
  });

  test('a call without hooks that is cancelled before it begins runs nothing', async () => {
    abort.abort(new Error('too late'));
    const { toolResult, ran } = await callTool({}, inFolder());
    expect(ran).toEqual([]);
    expect(toolResult).toEqual(cancelledResult('too late'));
  });

  test('a call that is cancelled while its machine is set up runs nothing', async () => {
    const call = callTool({ BeforeTool: inParallel('touch before-ran') }, inFolder());
    queueMicrotask(() => abort.abort('at once'));
    const { outcome, ran } = await call;
    expect(ran).toEqual([]);
    expect(outcome.status).toBe('cancelled');
    expect(existsSync(join(cwd, 'before-ran'))).toBe(false);
  });

  test('cancelling a call kills its running BeforeTool hooks and never runs the tool (G-02)', async () => {
    const call = callTool(
      { BeforeTool: inParallel(working), AfterTool: inParallel('touch after-ran') },
      inFolder(),
    );
    const pid = await running();
    abort.abort('user');
    const { toolResult, outcome, ran, session, stop } = await call;
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ status: 'cancelled', reason: 'user' });
    expect(toolResult).toEqual(cancelledResult('user'));
    expect(stop).toBeUndefined();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(cwd, 'after-ran'))).toBe(false);
    expect(session.warnings).toEqual([]);
  });

  test('cancelling a tool call in the middle of a sequence starts no further hook', async () => {
    const call = callTool({ BeforeTool: inSequence(working, 'touch second-ran') }, inFolder());
    await running();
    abort.abort();
    const { outcome } = await call;
    expect(outcome).toMatchObject({ status: 'cancelled', reason: 'This operation was aborted' });
    expect(existsSync(join(cwd, 'second-ran'))).toBe(false);
  });

  test('output of hooks before a cancellation decides nothing', async () => {
    const call = callTool(
      {
        BeforeTool: inParallel(
          print({
            continue: false,
            systemMessage: 'Ignored.',
            hookSpecificOutput: { tool_input: { file_path: 'b.txt' } },
          }),
          `sleep 0.2; ${working}`,
        ),
      },
      inFolder(),
    );
    await running();
    abort.abort('user');
    const { outcome, toolResult, ran, stop } = await call;
    expect(ran).toEqual([]);
    expect(stop).toBeUndefined();
    expect(toolResult).toEqual(cancelledResult('user'));
    expect(outcome.toolInput).toEqual({ file_path: 'a.txt', content: 'text' });
  });

  test.each([
    ['with hooks', { BeforeTool: inParallel('true'), AfterTool: inParallel('touch after-ran') }],
    ['without hooks', {}],
  ])(
    'cancelling a call aborts the tool’s signal, waits for nothing and fires no AfterTool, %s (C-68)',
    async (_, hooks) => {
      let toolSignal: AbortSignal | undefined;
      const { toolResult, outcome } = await callTool(hooks, {
        ...inFolder(),
        tool: (_input, signal) => {
          toolSignal = signal;
          setTimeout(() => abort.abort('user'), 20);
          return new Promise(() => undefined);
        },
      });
      expect(toolSignal?.aborted).toBe(true);
      expect(outcome).toMatchObject({ status: 'cancelled', reason: 'user' });
      expect(toolResult).toEqual(cancelledResult('user'));
      expect(existsSync(join(cwd, 'after-ran'))).toBe(false);
    },
  );

  test.each([
    ['with hooks', { AfterTool: inParallel('touch after-ran') }],
    ['without hooks', {}],
  ])(
    'a cancelled call is cancelled even if its tool rejects on the signal, %s',
    async (_, hooks) => {
      const { outcome } = await callTool(hooks, {
        ...inFolder(),
        tool: (_input, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('ended')));
            setTimeout(() => abort.abort('user'), 20);
          }),
      });
      expect(outcome).toMatchObject({ status: 'cancelled', reason: 'user' });
      expect(existsSync(join(cwd, 'after-ran'))).toBe(false);
    },
  );

  test('cancelling a call while its AfterTool hooks run keeps the result without their output', async () => {
    const call = callTool(
      {
        BeforeTool: inParallel(print({ systemMessage: 'Before.' })),
        AfterTool: inParallel(print({ systemMessage: 'Ignored.', continue: false }), working),
      },
      inFolder(),
    );
    const pid = await running();
    abort.abort('user');
    const { toolResult, outcome, stop } = await call;
    expect(outcome).toMatchObject({ status: 'cancelled', result: written });
    expect(toolResult).toEqual({ ...written, llmContent: 'written\n\n[System] Before.' });
    expect(stop).toBeUndefined();
    expect(isAlive(pid)).toBe(false);
  });

  test('cancelling a tool call after its end has no effect', async () => {
    const { outcome } = await callTool({ AfterTool: inParallel('true') }, inFolder());
    abort.abort('user');
    expect(outcome.status).toBe('done');
  });

  test.each<[string, unknown, string]>([
    ['an error', new Error('why'), 'why'],
    ['a text', 'why', 'why'],
    ['anything', { code: 7 }, '{ code: 7 }'],
    ['an object without a text', Object.create(null), '[Object: null prototype] {}'],
  ])('a call can be cancelled with %s as the reason', async (_, reason, expected) => {
    abort.abort(reason);
    const { outcome } = await callTool({}, inFolder());
    expect(outcome).toMatchObject({ reason: expected });
  });
});
