import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  ToolScheduler,
  type CompletedToolCall,
  type ToolSchedulerOptions,
} from '../../../src/agent/loop/tool-scheduler.ts';
import { inParallel, print, startSession, type Session } from '../../support/session.ts';
import { someTool, type SeenTool } from '../../support/some-tool.ts';
import { isAlive, untilWritten } from '../../support/until.ts';

type Hooks = Parameters<typeof startSession>[0];

interface Scene extends Session {
  readonly scheduler: ToolScheduler;
  /** The published calls, in order, with the scheduler's status at the time. */
  readonly published: { readonly call: CompletedToolCall; readonly status: string }[];
}

async function sceneOf(
  tools: readonly SeenTool[],
  hooks: Hooks = {},
  options: Partial<ToolSchedulerOptions> = {},
): Promise<Scene> {
  const session = await startSession(hooks);
  const published: { call: CompletedToolCall; status: string }[] = [];
  const scheduler: ToolScheduler = new ToolScheduler({
    config: session.config,
    tools,
    onCompleted: (call) => published.push({ call, status: scheduler.status }),
    ...options,
  });
  return { ...session, scheduler, published };
}

const call = (name: string, path: string) => ({ id: `${name} ${path}`, name, input: { path } });

const contents = (calls: readonly CompletedToolCall[]) =>
  calls.map(({ toolResult }) => toolResult.llmContent);

describe('a batch', () => {
  test('a batch returns its results in the order asked, and publishes each once those before it are there', async () => {
    const tool = someTool('write', async ({ path }) => {
      await sleep(path === 'slow' ? 100 : 1);
      return { llmContent: path, returnDisplay: '' };
    });
    const { scheduler, published } = await sceneOf([tool], {}, { limit: 3 });
    const requests = ['slow', 'b', 'c', 'd'].map((path) => call('write', path));
    const { calls, stop } = await scheduler.schedule(requests);
    expect(contents(calls)).toEqual(['slow', 'b', 'c', 'd']);
    expect(contents(published.map((entry) => entry.call))).toEqual(['slow', 'b', 'c', 'd']);
    expect(calls.map(({ request }) => request)).toEqual(requests);
    expect(stop).toBeUndefined();
  });

  test.each([
    [1, 1],
    [2, 2],
    [0, 1],
    [100, 6],
  ])('a batch with a limit of %d runs up to %d calls at once', async (limit, most) => {
    let running = 0;
    let seen = 0;
    const tool = someTool('write', async () => {
      seen = Math.max(seen, ++running);
      await sleep(10);
      running--;
      return { llmContent: '', returnDisplay: '' };
    });
    const { scheduler } = await sceneOf([tool], {}, { limit });
    await scheduler.schedule(['a', 'b', 'c', 'd', 'e', 'f'].map((path) => call('write', path)));
    expect(seen).toBe(most);
    expect(tool.runs.length).toBe(6);
  });

  test('many tools of a batch can listen to the signal at once', async () => {
    const warned = vi.fn();
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const tool = someTool('write', async ({ path }, { signal }) => {
      signal.addEventListener('abort', () => undefined);
      await sleep(1);
      return { llmContent: path, returnDisplay: '' };
    });
    const { scheduler } = await sceneOf([tool], {}, { limit: 30 });
    await scheduler.schedule(Array.from({ length: 30 }, (_, n) => call('write', `${n}`)));
    expect(warned).not.toHaveBeenCalled();
  });

  test('a batch needs no onCompleted listener', async () => {
    const { config } = await startSession({});
    const tools = new Map([['write', someTool('write')]]);
    const { calls } = await new ToolScheduler({ config, tools }).schedule([call('write', 'a')]);
    expect(contents(calls)).toEqual(['wrote a']);
  });

  test('a batch can be empty', async () => {
    const { scheduler } = await sceneOf([]);
    expect(await scheduler.schedule([])).toEqual({ calls: [] });
  });

  test('a batch can follow another, but not run at the same time', async () => {
    const { scheduler } = await sceneOf([someTool('write')]);
    const first = scheduler.schedule([call('write', 'a')]);
    await expect(scheduler.schedule([call('write', 'b')])).rejects.toThrow(
      /is already running a batch/,
    );
    expect(contents((await first).calls)).toEqual(['wrote a']);
    expect(contents((await scheduler.schedule([call('write', 'c')])).calls)).toEqual(['wrote c']);
  });

  test('the scheduler is running during a batch and idle afterwards (HOOK-129)', async () => {
    const { scheduler } = await sceneOf([someTool('write')]);
    expect(scheduler.status).toBe('idle');
    const batch = scheduler.schedule([call('write', 'a')]);
    expect(scheduler.status).toBe('running');
    await batch;
    expect(scheduler.status).toBe('idle');
  });
});

describe('a blocked call', () => {
  test('a blocked call has ended: its reason is published, the scheduler is idle, nothing is retried (HOOK-129, 130, 204, C-66)', async () => {
    const tool = someTool('write');
    const { scheduler, published, folder } = await sceneOf([tool], {
      BeforeTool: inParallel('echo ran >>runs.txt; echo "Not this." >&2; exit 2'),
    });
    const { calls, stop } = await scheduler.schedule([call('write', 'a')]);
    expect(tool.runs).toEqual([]);
    expect(calls).toMatchObject([
      { outcome: { status: 'blocked' }, toolResult: { llmContent: 'Not this.' } },
    ]);
    expect(published).toEqual([{ call: calls[0], status: 'idle' }]);
    expect(stop).toBeUndefined();
    expect(scheduler.status).toBe('idle');
    expect(readFileSync(join(folder, 'runs.txt'), 'utf8')).toBe('ran\n');
  });

  test('a blocked call does not affect the others in its batch', async () => {
    const tools = [someTool('write'), someTool('read')];
    const { scheduler } = await sceneOf(tools, {
      BeforeTool: [{ matcher: '^write$', hooks: inParallel('exit 2')[0]!.hooks }],
    });
    const { calls } = await scheduler.schedule([call('write', 'a'), call('read', 'b')]);
    expect(contents(calls)).toEqual(['Blocked by hook', 'wrote b']);
  });
});

describe('a stop', () => {
  const stopping = {
    BeforeTool: [
      {
        matcher: '^stop$',
        hooks: inParallel(print({ continue: false, stopReason: 'Enough.' }))[0]!.hooks,
      },
    ],
  };

  test('after a stop no further call starts, but each still has a result for the model (HOOK-020)', async () => {
    const [write, stop] = [someTool('write'), someTool('stop')];
    const { scheduler, published } = await sceneOf([write, stop], stopping, { limit: 1 });
    const batch = await scheduler.schedule([
      call('write', 'a'),
      call('stop', 'b'),
      call('write', 'c'),
      call('stop', 'd'),
    ]);
    expect(batch.stop).toEqual({ reason: 'Enough.' });
    expect(contents(batch.calls)).toEqual([
      'wrote a',
      'Enough.',
      ...Array.from(
        { length: 2 },
        () => 'The tool call was cancelled: a hook stopped the agent before this call began',
      ),
    ]);
    expect(write.runs.length).toBe(1);
    expect(published.length).toBe(4);
  });

  test('a stop lets running calls end and keeps their results', async () => {
    const write = someTool('write', async ({ path }) => {
      await sleep(200);
      return { llmContent: `wrote ${path}`, returnDisplay: '' };
    });
    const { scheduler } = await sceneOf([write, someTool('stop')], stopping, { limit: 2 });
    const batch = await scheduler.schedule([call('write', 'a'), call('stop', 'b')]);
    expect(contents(batch.calls)).toEqual(['wrote a', 'Enough.']);
    expect(batch.stop).toEqual({ reason: 'Enough.' });
  });

  test('a stop with a block delivers the block first (G-20)', async () => {
    const both = print({ continue: false, stopReason: 'Enough.', decision: 'deny', reason: 'No.' });
    const { scheduler } = await sceneOf([someTool('write')], { BeforeTool: inParallel(both) });
    const batch = await scheduler.schedule([call('write', 'a')]);
    expect(contents(batch.calls)).toEqual(['No.']);
    expect(batch.stop).toEqual({ reason: 'Enough.' });
  });

  test('stops by several calls become one, with every reason once', async () => {
    const { scheduler } = await sceneOf(
      [someTool('write')],
      {
        AfterTool: inParallel(
          `jq -c '{continue: false, stopReason: ("After " + .tool_input.path)}'`,
        ),
      },
      { limit: 3 },
    );
    const requests = ['a', 'b', 'a'].map((path) => call('write', path));
    const { stop, calls } = await scheduler.schedule(requests);
    expect(contents(calls)).toEqual(['wrote a', 'wrote b', 'wrote a']);
    expect(stop).toEqual({ reason: 'After a\nAfter b' });
  });

  test('a stop does not affect the next batch', async () => {
    const { scheduler } = await sceneOf([someTool('write'), someTool('stop')], stopping);
    await scheduler.schedule([call('stop', 'a')]);
    const batch = await scheduler.schedule([call('write', 'b')]);
    expect(contents(batch.calls)).toEqual(['wrote b']);
    expect(batch.stop).toBeUndefined();
  });
});

const rewriting = (toolInput: object): Hooks => ({
  BeforeTool: inParallel(print({ hookSpecificOutput: { tool_input: toolInput } })),
});

describe('the arguments', () => {
  const seeing = { AfterTool: inParallel('jq -c .tool_response.error >seen.json') };

  test('the tool receives checked arguments with defaults', async () => {
    const tool = someTool('write');
    const { scheduler, folder } = await sceneOf([tool], rewriting({ path: 'b', more: true }));
    await scheduler.schedule([call('write', 'a')]);
    expect(tool.runs).toEqual([
      {
        input: { path: 'b', times: 1 },
        context: { cwd: folder, callId: 'write a', signal: expect.any(AbortSignal) },
      },
    ]);
  });

  test.each([
    ['by a rewrite', call('write', 'a'), rewriting({ path: 7, times: 0 })],
    ['by the model', { ...call('write', 'a'), input: { path: 7, times: 0 } }, {}],
  ])(
    'invalid arguments, %s, are the tool’s own error, which AfterTool hooks see, and the tool does not run (C-67)',
    async (_, request, hooks) => {
      const tool = someTool('write');
      const { scheduler, folder } = await sceneOf([tool], { ...hooks, ...seeing });
      const [ended] = (await scheduler.schedule([request])).calls;
      expect(tool.runs).toEqual([]);
      expect(ended?.outcome.status).toBe('done');
      expect(ended?.toolResult.error?.type).toBe('invalid_tool_params');
      expect(ended?.toolResult.llmContent).toMatch(
        /^Invalid arguments for write: path: .+; times: .+/,
      );
      expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))).toEqual(
        ended?.toolResult.error,
      );
    },
  );

  test('a hook can repair invalid arguments', async () => {
    const tool = someTool('write');
    const { scheduler } = await sceneOf([tool], rewriting({ path: 'b' }));
    const { calls } = await scheduler.schedule([{ ...call('write', ''), input: { path: 7 } }]);
    expect(contents(calls)).toEqual(['wrote b']);
  });
});

test('a tool that does not exist is an error that the model reads', async () => {
  const { scheduler } = await sceneOf([someTool('write')]);
  const { calls } = await scheduler.schedule([call('toString', 'a'), call('write', 'b')]);
  expect(calls[0]?.toolResult).toMatchObject({
    llmContent: 'There is no tool "toString".',
    error: { type: 'tool_not_found' },
  });
  expect(contents(calls)[1]).toBe('wrote b');
});

test.each<[string, Parameters<typeof someTool>[1]]>([
  [
    'at once',
    () => {
      throw new Error('broken');
    },
  ],
  ['later', () => Promise.reject(new Error('broken'))],
])('a tool that throws %s is a result with an error (C-68)', async (_, work) => {
  const { scheduler } = await sceneOf([someTool('write', work)]);
  const { calls } = await scheduler.schedule([call('write', 'a'), call('write', 'b')]);
  expect(contents(calls)).toEqual(['broken', 'broken']);
  expect(calls[0]?.toolResult.error).toEqual({ message: 'broken', type: 'Error' });
});

describe('cancelling a batch', () => {
  test('cancelling a batch ends running calls and starts no more, and every call has a result (G-02)', async () => {
    const never = someTool('never', () => new Promise(() => undefined));
    const { scheduler, folder, published } = await sceneOf(
      [never, someTool('write')],
      {
        BeforeTool: [{ matcher: '^write$', hooks: inParallel('echo $$ >pid; sleep 30')[0]!.hooks }],
        AfterTool: inParallel('touch after-ran'),
      },
      { limit: 2 },
    );
    const batch = scheduler.schedule([call('never', 'a'), call('write', 'b'), call('write', 'c')]);
    const pid = Number(await untilWritten(join(folder, 'pid')));
    scheduler.cancel('user');
    const { calls, stop } = await batch;
    expect(contents(calls)).toEqual(
      Array.from({ length: 3 }, () => 'The tool call was cancelled: user'),
    );
    expect(published.length).toBe(3);
    expect(stop).toBeUndefined();
    expect(isAlive(pid)).toBe(false);
    expect(never.runs[0]?.context.signal.aborted).toBe(true);
    expect(existsSync(join(folder, 'after-ran'))).toBe(false);
    expect(scheduler.status).toBe('idle');
  });

  test('the caller’s signal cancels a batch', async () => {
    const abort = new AbortController();
    const never = someTool('never', () => {
      setTimeout(() => abort.abort('user'), 20);
      return new Promise(() => undefined);
    });
    const { scheduler } = await sceneOf([never]);
    const { calls } = await scheduler.schedule([call('never', 'a')], abort);
    expect(calls).toMatchObject([{ outcome: { status: 'cancelled', reason: 'user' } }]);
  });

  test('a batch that is cancelled before it begins runs nothing', async () => {
    const tool = someTool('write');
    const { scheduler } = await sceneOf([tool], { BeforeTool: inParallel('touch before-ran') });
    const signal = AbortSignal.abort('too late');
    const { calls } = await scheduler.schedule([call('write', 'a')], { signal });
    expect(calls).toMatchObject([{ outcome: { status: 'cancelled', reason: 'too late' } }]);
    expect(tool.runs).toEqual([]);
  });

  test('a cancellation does not affect the next batch, and does nothing between batches', async () => {
    const { scheduler } = await sceneOf([someTool('write')]);
    scheduler.cancel();
    const first = scheduler.schedule([call('write', 'a')]);
    scheduler.cancel();
    expect((await first).calls[0]?.outcome).toMatchObject({ reason: 'cancelled' });
    expect(contents((await scheduler.schedule([call('write', 'b')])).calls)).toEqual(['wrote b']);
  });
});
