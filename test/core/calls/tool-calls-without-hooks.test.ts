import { describe, expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { runToolCall } from '../../../src/core/calls/run-tool-call.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import type { HookSystemConfig } from '../../../src/hosts/system/hook-system-config.ts';
import { someInput, written } from '../../support/call-tool.ts';
import { inParallel, startSession } from '../../support/session.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const request = { id: '1', name: 'write_file', input: someInput };

/** Whether the tool starts synchronously. */
function runsAtOnce(config: HookSystemConfig): boolean {
  let ran = false;
  void executeToolWithHooks(config, 'write_file', someInput, async () => {
    ran = true;
    return written;
  });
  return ran;
}

describe('with hooks off', () => {
  test('with hooks off, there is no hook system and the tool runs at once (HOOK-002, 010, 013)', async () => {
    const config = createConfig({
      cwd: tempFolder(),
      settings: { tools: { enableHooks: false }, hooks: { BeforeTool: inParallel('exit 2') } },
    });
    expect(config.getHookSystem()).toBeUndefined();
    expect(runsAtOnce(config)).toBe(true);
    const { toolResult, outcome, before, after } = await runToolCall(
      config,
      request,
      async () => written,
    );
    expect(toolResult).toBe(written);
    expect(outcome).toMatchObject({ status: 'done', toolInput: someInput });
    expect([before, after]).toEqual([undefined, undefined]);
  });
});

test('without any hook, the tool runs at once and its result is passed on as it is', async () => {
  const { config } = await startSession({});
  expect(runsAtOnce(config)).toBe(true);
  const { toolResult } = await runToolCall(config, request, async () => written);
  expect(toolResult).toBe(written);
});

describe('with no hook for the tool', () => {
  const others = {
    BeforeTool: [{ matcher: 'read_file', hooks: inParallel('exit 2')[0]!.hooks }],
    BeforeModel: inParallel('exit 2'),
  };

  test('with no hook for the tool, the tool runs at once (HOOK-011, 012, 013)', async () => {
    const { config } = await startSession(others);
    expect(runsAtOnce(config)).toBe(true);
    const { toolResult } = await runToolCall(config, request, async () => written);
    expect(toolResult).toBe(written);
  });

  test('no input is built for hooks that do not run (HOOK-011)', async () => {
    const { config } = await startSession(others);
    const asked = vi.spyOn(config, 'getSessionId');
    await runToolCall(config, request, async () => written);
    expect(asked).not.toHaveBeenCalled();
  });

  test('the hook system is made ready by the first call, once (HOOK-003, 008)', async () => {
    const config = createConfig({
      cwd: tempFolder(),
      settings: { tools: { enableHooks: true }, hooks: others },
    });
    const initialize = vi.spyOn(config.getHookSystem()!, 'initialize');
    for (let call = 0; call < 3; call++) await runToolCall(config, request, async () => written);
    expect(initialize).toHaveBeenCalledTimes(1);
    expect(config.getHookSystem()!.isInitialized()).toBe(true);
  });

  test('a failing tool without hooks is still a result with an error', async () => {
    const { config } = await startSession(others);
    const { toolResult, outcome } = await runToolCall(config, request, () => {
      throw new Error('at once');
    });
    expect(outcome.status).toBe('done');
    expect(toolResult).toMatchObject({ llmContent: 'at once', error: { type: 'Error' } });
  });
});
