import { beforeEach, describe, expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import type * as Aggregator from '../../../src/core/run/event-result.ts';
import type * as Runner from '../../../src/core/run/run-machine.ts';
import { group, inParallel, someFields } from '../../support/session.ts';
import { startBusSession } from './bus.ts';

const broken = vi.hoisted(() => ({ stage: '' }));

// The engine's own stages never fail by themselves, so the test makes them fail.
vi.mock('../../../src/core/run/event-result.ts', async (original) => {
  const whole = await original<typeof Aggregator>();
  return {
    ...whole,
    aggregateResults: (...given: Parameters<typeof whole.aggregateResults>) => {
      if (broken.stage === 'aggregation') throw new Error('cannot merge');
      return whole.aggregateResults(...given);
    },
  };
});
vi.mock('../../../src/core/run/run-machine.ts', async (original) => {
  const whole = await original<typeof Runner>();
  return {
    ...whole,
    runMachine: (...given: Parameters<typeof whole.runMachine>) =>
      broken.stage === 'execution'
        ? Promise.reject(new Error('cannot run'))
        : whole.runMachine(...given),
  };
});

beforeEach(() => {
  broken.stage = '';
});

describe.each([
  ['execution', 'cannot run'],
  ['aggregation', 'cannot merge'],
])('a failure of %s (DELTA-HFAIL-001, DELTA-HFAIL-002, C-91)', (stage, message) => {
  test('an engine failure fails open on the direct path, with the stage and one warning', async () => {
    const session = await startBusSession({ BeforeTool: inParallel('exit 2') });
    broken.stage = stage;
    const result = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(result).toMatchObject({
      success: false,
      allOutputs: [],
      failure: { event: 'BeforeTool', stage, message },
    });
    expect(result.finalOutput).toBeUndefined();
    expect(session.warnings).toEqual([
      `BeforeTool: the hooks could not be run (${message}); continuing without hooks`,
    ]);
  });

  test('an engine failure denies on the direct path if a hook of the event fails closed', async () => {
    const session = await startBusSession({
      BeforeTool: inParallel('true', { command: 'true # too', name: 'guard', onFailure: 'block' }),
    });
    broken.stage = stage;
    const result = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(result).toMatchObject({ success: false, failure: { stage, message } });
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    const reason = `Blocked because the hook "guard" failed: ${message}`;
    expect(result.finalOutput?.getBlockReason()).toBe(reason);
    expect(session.warnings).toEqual([
      `BeforeTool: the hooks could not be run (${message}); hook "guard" blocks, as its settings say`,
    ]);
    const { success, output } = await session.ask('BeforeTool', someFields.BeforeTool);
    expect([success, output?.finalOutput?.getBlockReason()]).toEqual([true, reason]);
  });

  test('an engine failure is reported over the bus, and the next request is answered', async () => {
    const { ask } = await startBusSession({ BeforeTool: inParallel('exit 2') });
    broken.stage = stage;
    expect(await ask('BeforeTool', someFields.BeforeTool, 'mine')).toEqual({
      correlationId: 'mine',
      success: false,
      error: { code: 'internal_error', message, details: { stage, eventName: 'BeforeTool' } },
    });
    broken.stage = '';
    expect((await ask('BeforeTool', someFields.BeforeTool)).success).toBe(true);
  });
});

test('a failed merge denies a tool call if a hook fails closed, and is reported once', async () => {
  const { config, warnings } = await startBusSession({
    BeforeTool: inParallel({ command: 'true', name: 'guard', onFailure: 'block' }),
  });
  broken.stage = 'aggregation';
  const tool = vi.fn();
  const { llmContent } = await executeToolWithHooks(config, 'write_file', {}, tool);
  expect(llmContent).toBe('Blocked because the hook "guard" failed: cannot merge');
  expect(tool).not.toHaveBeenCalled();
  expect(warnings).toHaveLength(1);
});

test('if planning fails, a hook that fails closed denies for any subject', async () => {
  const session = await startBusSession({
    BeforeTool: [group([{ command: 'true', onFailure: 'block' }], { matcher: 'write_file' })],
    AfterTool: inParallel('true'),
  });
  const { finalOutput, failure } = await session.fire('BeforeTool', null as never);
  expect(failure?.stage).toBe('planning');
  expect(finalOutput?.isBlockingDecision()).toBe(true);
  expect((await session.fire('AfterTool', null as never)).finalOutput).toBeUndefined();
  expect(session.warnings).toHaveLength(2);
});

test('a denial of an event that cannot be blocked is reported to have no effect', async () => {
  const session = await startBusSession({
    AfterModel: inParallel({ command: 'true', onFailure: 'block' }),
  });
  broken.stage = 'execution';
  await session.fire('AfterModel', someFields.AfterModel);
  expect(session.warnings).toContainEqual(expect.stringContaining('AfterModel cannot be blocked'));
});

test('a registry that cannot be read is a planning failure', async () => {
  const { ask, config } = await startBusSession({ BeforeTool: inParallel('exit 2') });
  vi.spyOn(config.getHookSystem()!.getRegistry(), 'getHooksForEvent').mockImplementation(() => {
    throw new Error('no registry');
  });
  const { error } = await ask('BeforeTool', someFields.BeforeTool);
  expect(error).toMatchObject({ code: 'internal_error', details: { stage: 'planning' } });
});
