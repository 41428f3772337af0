import { describe, expect, test, vi } from 'vitest';
import { callTool } from '../../support/call-tool.ts';
import { debugLines } from '../../support/debug-lines.ts';
import type {
  HookBatchSummary,
  HookFailureDiagnostic,
  HookRecord,
} from '../../../src/core/run/telemetry.ts';
import { startBusSession } from '../bus/bus.ts';
import {
  inParallel,
  inSequence,
  print,
  someFields,
  startSession,
  type Session,
} from '../../support/session.ts';

/** Collects everything that a hook system reports, in order. */
function watch({ config }: Session) {
  const system = config.getHookSystem()!;
  const records: HookRecord[] = [];
  const summaries: HookBatchSummary[] = [];
  const failures: HookFailureDiagnostic[] = [];
  const warnings: string[] = [];
  system.on('hook:result', (record) => records.push(record));
  system.on('hook:batch_summary', (summary) => summaries.push(summary));
  system.on('hook:failure_diagnostic', (failure) => failures.push(failure));
  system.on('warning', (line) => warnings.push(line));
  return { records, summaries, failures, warnings };
}

const about = (command: string, event = 'BeforeTool') => ({
  event,
  hook: command,
  type: 'command',
  command,
  source: 'project',
});

describe('one record for each hook (DELTA-HTEL-001)', () => {
  test('the record of a hook says which hook it was, how long it took, how it ended and what it printed', async () => {
    const session = await startSession({
      BeforeTool: inParallel(
        { name: 'greeter', command: 'echo hello; echo psst >&2' },
        'echo no >&2; exit 2',
        'echo bad >&2; exit 3',
      ),
    });
    const { records } = watch(session);
    await session.fire('BeforeTool', someFields.BeforeTool);
    const byCommand = records.toSorted((one, other) => one.exitCode! - other.exitCode!);
    expect(byCommand).toEqual([
      {
        ...about('echo hello; echo psst >&2'),
        hook: 'greeter',
        success: true,
        status: 'ok',
        decision: 'allow',
        durationMs: expect.any(Number),
        exitCode: 0,
        timedOut: false,
        stdout: 'hello\n',
        stderr: 'psst\n',
      },
      {
        ...about('echo no >&2; exit 2'),
        success: false,
        status: 'ok',
        decision: 'deny',
        durationMs: expect.any(Number),
        exitCode: 2,
        timedOut: false,
        stdout: '',
        stderr: 'no\n',
      },
      {
        ...about('echo bad >&2; exit 3'),
        success: false,
        status: 'failed',
        failure: 'exit-3',
        durationMs: expect.any(Number),
        exitCode: 3,
        timedOut: false,
        stdout: '',
        stderr: 'bad\n',
        error: 'Hook exited with code 3',
      },
    ]);
  });

  test('a hook that a signal or its deadline ended is recorded as such', async () => {
    const session = await startSession({
      AfterTool: inSequence('kill -KILL $$', { command: 'echo half; sleep 9', timeout: 2_000 }),
    });
    const { records } = watch(session);
    await session.fire('AfterTool', someFields.AfterTool);
    expect(records).toMatchObject([
      { exitCode: 0, signal: 'SIGKILL', success: false, timedOut: false },
      {
        exitCode: null,
        success: false,
        timedOut: true,
        stdout: 'half\n',
        error: 'Hook timed out after 2000ms',
      },
    ]);
    expect(records[1]!.durationMs).toBeGreaterThanOrEqual(1_950);
  });

  test("a record is plain, frozen data without any reference to a hook's definition (DELTA-HFAIL-004)", async () => {
    const session = await startSession({ BeforeTool: inParallel('exit 2') });
    const { records, summaries } = watch(session);
    const { results } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(Object.isFrozen(records[0]) && Object.isFrozen(summaries[0])).toBe(true);
    expect(structuredClone(records[0])).toEqual(records[0]);
    expect(Object.values(records[0]!)).not.toContain(results[0]!.hook);
  });
});

describe('one summary for each event (DELTA-HTEL-002, G-04)', () => {
  test('a summary counts what ran, and has the sum of the durations and the elapsed time', async () => {
    const session = await startSession({
      BeforeTool: inParallel('sleep 0.3', 'sleep 0.3; exit 2', 'sleep 0.3; exit 1'),
    });
    const { summaries } = watch(session);
    await session.fire('BeforeTool', someFields.BeforeTool);
    expect(summaries).toEqual([
      {
        event: 'BeforeTool',
        mode: 'parallel',
        hookCount: 3,
        successCount: 1,
        blockCount: 1,
        failureCount: 1,
        success: false,
        totalDurationMs: expect.any(Number),
        wallTimeMs: expect.any(Number),
      },
    ]);
    const { totalDurationMs, wallTimeMs } = summaries[0]!;
    expect(totalDurationMs).toBeGreaterThan(850);
    expect(wallTimeMs).toBeGreaterThan(280);
    expect(wallTimeMs).toBeLessThan(totalDurationMs);
  });

  test('the summary of a sequence counts only the hooks that were started', async () => {
    const session = await startSession({ BeforeTool: inSequence('exit 2', 'exit 0') });
    const { summaries, records } = watch(session);
    await session.fire('BeforeTool', someFields.BeforeTool);
    expect(summaries).toMatchObject([{ mode: 'sequential', hookCount: 1, blockCount: 1 }]);
    expect(records).toHaveLength(1);
  });

  test('an event without hooks has a summary too, if somebody listens', async () => {
    const session = await startSession({});
    const { summaries } = watch(session);
    await session.fire('BeforeTool', someFields.BeforeTool);
    expect(summaries).toEqual([
      {
        event: 'BeforeTool',
        mode: null,
        hookCount: 0,
        successCount: 0,
        blockCount: 0,
        failureCount: 0,
        success: true,
        totalDurationMs: 0,
        wallTimeMs: 0,
      },
    ]);
  });

  test('both events of a tool call are reported like fired ones', async () => {
    const names: string[] = [];
    const { session } = await callTool({
      BeforeTool: inParallel('exit 0'),
      AfterTool: inParallel('exit 0'),
    });
    const system = session.config.getHookSystem()!;
    system.on('hook:batch_summary', ({ event, hookCount }) => names.push(`${event} ${hookCount}`));
    system.on('hook:result', ({ event }) => names.push(event));
    const { executeToolWithHooks } = await import('../../../src/core/calls/run-tool-call.ts');
    await executeToolWithHooks(session.config, 'x', {}, () =>
      Promise.resolve({ llmContent: '', returnDisplay: '' }),
    );
    expect(names).toEqual(['BeforeTool', 'BeforeTool 1', 'AfterTool', 'AfterTool 1']);
  });
});

describe('one diagnostic for each failure (DELTA-HTEL-003)', () => {
  test('a failed hook gives one diagnostic, and the aggregate is still returned', async () => {
    const session = await startSession({
      BeforeTool: inParallel('echo oh dear >&2; exit 3', print({ systemMessage: 'fine' })),
    });
    const { failures } = watch(session);
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.systemMessage).toBe('fine');
    expect(failures).toEqual([
      expect.objectContaining({
        ...about('echo oh dear >&2; exit 3'),
        stage: 'execution',
        message: 'Hook exited with code 3',
        exitCode: 3,
        stderr: 'oh dear\n',
      }),
    ]);
  });

  test('a policy block is not a failure, and gives no diagnostic (C-101)', async () => {
    const session = await startSession({
      BeforeTool: inParallel('echo no >&2; exit 2', print({ decision: 'deny' })),
    });
    const { failures, summaries } = watch(session);
    await session.fire('BeforeTool', someFields.BeforeTool);
    expect([failures, session.warnings, summaries[0]?.failureCount]).toEqual([[], [], 0]);
  });

  test('a failure of the event itself gives one diagnostic, with the stage in which it occurred (DELTA-HFAIL-001)', async () => {
    const session = await startSession({ BeforeTool: inParallel('exit 2') });
    const { failures, summaries } = watch(session);
    const { failure } = await session.fire('BeforeTool', {
      tool_name: 'x',
      tool_input: { size: 1n },
    });
    expect(failures).toEqual([
      { event: 'BeforeTool', stage: 'formatting', message: expect.stringContaining('BigInt') },
    ]);
    expect(failure).toEqual(failures[0]);
    expect(summaries).toEqual([]);
  });

  test('a tool call whose hooks could not be planned gives one diagnostic', async () => {
    const session = await startSession({ BeforeTool: inParallel('exit 2') });
    const { failures } = watch(session);
    const { executeToolWithHooks } = await import('../../../src/core/calls/run-tool-call.ts');
    const result = await executeToolWithHooks(session.config, 'x', { size: 1n }, () =>
      Promise.resolve({ llmContent: 'ran', returnDisplay: '' }),
    );
    expect(result.llmContent).toContain('cannot be written as JSON');
    expect(failures).toMatchObject([{ event: 'BeforeTool', stage: 'formatting' }]);
  });

  test('a bus request that never reached its hooks gives one diagnostic (DELTA-HFAIL-002)', async () => {
    const session = await startBusSession({ BeforeTool: inParallel('exit 2') });
    const { failures, summaries } = watch(session);
    await session.send(null);
    await session.ask('PreToolUse', {});
    await session.ask('BeforeTool', {});
    await session.ask('BeforeModel', { llm_request: {} });
    expect(failures.map(({ event, stage }) => [event, stage])).toEqual([
      [null, 'validation'],
      [null, 'validation'],
      ['BeforeTool', 'validation'],
      ['BeforeModel', 'translation'],
    ]);
    expect(summaries).toEqual([]);
  });
});

test('warnings are reported as the user reads them', async () => {
  const session = await startSession({ BeforeTool: inParallel('printf "a\\nb" >&2; exit 1') });
  const { warnings } = watch(session);
  await session.fire('BeforeTool', someFields.BeforeTool);
  expect(warnings).toHaveLength(1);
  expect(warnings).toEqual(session.warnings);
});

describe('a listener', () => {
  test('a listener that throws or rejects changes no decision, and the other listeners are called', async () => {
    const session = await startSession({ BeforeTool: inParallel('exit 2', 'exit 1') });
    const system = session.config.getHookSystem()!;
    const received: string[] = [];
    for (const name of [
      'hook:result',
      'hook:failure_diagnostic',
      'hook:batch_summary',
      'warning',
    ] as const) {
      system.on(name, () => {
        throw new Error('not now');
      });
      system.on(name, () => Promise.reject(new Error('not later either')));
      system.on(name, () => received.push(name));
    }
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    expect(received.toSorted()).toEqual([
      'hook:batch_summary',
      'hook:failure_diagnostic',
      'hook:result',
      'hook:result',
      'warning',
    ]);
  });

  test('a listener is not called once it has unsubscribed; one that was added twice counts as two', async () => {
    const session = await startSession({ BeforeTool: inParallel('exit 0') });
    const system = session.config.getHookSystem()!;
    const listener = vi.fn();
    const [stop] = [system.on('hook:result', listener), system.on('hook:result', listener)];
    await session.fire('BeforeTool', someFields.BeforeTool);
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    stop();
    await session.fire('BeforeTool', someFields.BeforeTool);
    expect(listener).toHaveBeenCalledTimes(3);
  });

  test('a listener may subscribe another while it receives a record', async () => {
    const session = await startSession({ BeforeTool: inParallel('exit 0') });
    const system = session.config.getHookSystem()!;
    const again = vi.fn(() => void system.on('hook:result', again));
    system.on('hook:result', again);
    await session.fire('BeforeTool', someFields.BeforeTool);
    expect(again).toHaveBeenCalledTimes(1);
  });

  test('a listener that subscribes before initialize receives problems in the settings', async () => {
    const { createConfig } = await import('../../../src/hosts/system/create-config.ts');
    const settings = { enableHooks: true, hooks: { Nonsense: [] } } as never;
    const config = createConfig({ cwd: '/p', settings, onWarning: () => undefined });
    const system = config.getHookSystem()!;
    const lines: string[] = [];
    system.on('warning', (line) => lines.push(line));
    await system.initialize();
    await system.reload();
    expect(lines).toEqual([expect.stringContaining('Nonsense')]);
  });
});

test('DEBUG shows results, failures and summaries, each under one name (C-102, 001)', async () => {
  const lines = debugLines('llxprt:core:hooks:*');
  const session = await startSession({ BeforeTool: inParallel('exit 3') });
  await session.fire('BeforeTool', someFields.BeforeTool);
  const shown = lines.join('\n');
  for (const tag of ['hook:result', 'hook:failure_diagnostic', 'hook:batch_summary'])
    expect(shown).toContain(tag);
  expect(shown).toMatch(/llxprt:core:hooks:/);
});
