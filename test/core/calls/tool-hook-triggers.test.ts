import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { fireAfterToolHook, fireBeforeToolHook } from '../../../src/core/calls/hook-triggers.ts';
import type { HookSystemConfig } from '../../../src/hosts/system/hook-system-config.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { AfterToolHookOutput, BeforeToolHookOutput } from '../../../src/core/protocol/output.ts';
import { someInput, written } from '../../support/call-tool.ts';
import { inParallel, print, startSession } from '../../support/session.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { isAlive, untilWritten } from '../../support/until.ts';

/** A host that cannot provide its hook system. */
const brokenHost = (config: Partial<HookSystemConfig>) => {
  const warnings: string[] = [];
  const onWarning = (line: string): void => void warnings.push(line);
  const cwd = tempFolder();
  return { warnings, config: { ...createConfig({ cwd, settings: {} }), onWarning, ...config } };
};

const write = () => Promise.resolve(written);

const failing = (): never => {
  throw new Error('no settings today');
};

describe('fireBeforeToolHook', () => {
  test('fireBeforeToolHook returns the merged output of the hooks (HOOK-127, 150, C-92)', async () => {
    const { config } = await startSession({
      BeforeTool: inParallel(
        print({ decision: 'deny', reason: 'no', systemMessage: 'Ask.' }),
        print({ hookSpecificOutput: { tool_input: { file_path: 'b.txt' } } }),
      ),
    });
    const output = await fireBeforeToolHook(config, 'write_file', someInput);
    expect(output).toBeInstanceOf(BeforeToolHookOutput);
    expect(output?.isBlockingDecision()).toBe(true);
    expect(output?.getEffectiveReason()).toBe('no');
    expect(output?.systemMessage).toBe('Ask.');
    expect((output as BeforeToolHookOutput).getModifiedToolInput()).toEqual({ file_path: 'b.txt' });
  });

  test('fireBeforeToolHook returns undefined if no hook matches, gives output or succeeds', async () => {
    const { config } = await startSession({
      BeforeTool: [
        { matcher: 'silent', hooks: inParallel('true')[0]!.hooks },
        { matcher: 'failing', hooks: inParallel('exit 1')[0]!.hooks },
      ],
    });
    for (const tool of ['write_file', 'silent', 'failing'])
      expect(await fireBeforeToolHook(config, tool, someInput)).toBeUndefined();
  });

  test('fireBeforeToolHook returns undefined if hooks are off (HOOK-002)', async () => {
    const config = createConfig({ cwd: tempFolder(), settings: {} });
    expect(await fireBeforeToolHook(config, 'write_file', someInput)).toBeUndefined();
  });

  test('fireBeforeToolHook kills its hooks when it is cancelled (G-02)', async () => {
    const { config, folder } = await startSession({
      BeforeTool: inParallel('echo $$ >pid; sleep 30'),
    });
    const abort = new AbortController();
    const output = fireBeforeToolHook(config, 'write_file', someInput, { signal: abort.signal });
    const pid = Number(await untilWritten(join(folder, 'pid')));
    abort.abort();
    expect(await output).toBeUndefined();
    expect(isAlive(pid)).toBe(false);
  });
});

describe('fireAfterToolHook', () => {
  test('fireAfterToolHook returns the merged output of hooks that saw the result (HOOK-128, 151)', async () => {
    const { config, folder } = await startSession({
      AfterTool: inParallel(
        `cat >seen.json; ${print({ suppressOutput: true, hookSpecificOutput: { additionalContext: 'Note.' } })}`,
      ),
    });
    const result = { ...written, metadata: { lines: 3 } };
    const output = await fireAfterToolHook(config, 'write_file', someInput, result);
    expect(output).toBeInstanceOf(AfterToolHookOutput);
    expect(output).toMatchObject({ suppressOutput: true });
    expect(output?.getAdditionalContext()).toBe('Note.');
    expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))).toMatchObject({
      hook_event_name: 'AfterTool',
      tool_response: result,
    });
    // The caller applies effects; the trigger changes nothing (HOOK-217).
    expect(result).toEqual({ ...written, metadata: { lines: 3 } });
  });

  test('fireAfterToolHook survives a missing result', async () => {
    const { config, warnings } = await startSession({ AfterTool: inParallel('true') });
    const output = await fireAfterToolHook(config, 'write_file', someInput, undefined as never);
    expect(output).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('AfterTool')]);
  });
});

describe('a trigger that fails continues without hooks and warns (HOOK-111, 115, C-91)', () => {
  test.each<[string, Partial<HookSystemConfig>]>([
    ['the host throws', { getHookSystem: failing }],
    ['the hook system is not ours', { getHookSystem: () => ({}) as never }],
  ])('a trigger continues without hooks when %s', async (_, config) => {
    const host = brokenHost(config);
    expect(await fireBeforeToolHook(host.config, 'write_file', someInput)).toBeUndefined();
    expect(await fireAfterToolHook(host.config, 'write_file', {}, written)).toBeUndefined();
    expect(await executeToolWithHooks(host.config, 'write_file', {}, write)).toEqual(written);
    expect(host.warnings.length).toBe(3);
  });

  test('a trigger continues without hooks even when the host cannot be warned', async () => {
    const { config } = brokenHost({ getHookSystem: failing, onWarning: failing });
    expect(await fireBeforeToolHook(config, 'write_file', someInput)).toBeUndefined();
    expect(await executeToolWithHooks(config, 'write_file', {}, write)).toEqual(written);
  });

  test('a trigger continues without hooks when settings cannot be read, and the next event retries (G-07)', async () => {
    const warnings: string[] = [];
    const config = createConfig({
      cwd: tempFolder(),
      settings: { tools: { enableHooks: true }, hooks: { BeforeTool: inParallel('exit 2') } },
      onWarning: (line) => warnings.push(line),
    });
    vi.spyOn(config, 'getHookSources').mockImplementationOnce(failing);
    expect(await fireBeforeToolHook(config, 'write_file', someInput)).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('no settings today')]);
    const output = await fireBeforeToolHook(config, 'write_file', someInput);
    expect(output?.isBlockingDecision()).toBe(true);
  });

  test('a trigger continues without hooks when the input has no JSON form (G-06), but no tool runs with it', async () => {
    const { config, warnings } = await startSession({
      BeforeTool: inParallel('exit 2'),
      AfterTool: inParallel(print({ systemMessage: 'ignored' })),
    });
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    for (const input of [cyclic, { big: 1n }]) {
      expect(await fireBeforeToolHook(config, 'write_file', input)).toBeUndefined();
      const { error } = await executeToolWithHooks(config, 'write_file', input, write);
      expect(error?.message).toContain('cannot be written as JSON');
    }
    expect(warnings.filter((line) => line.startsWith('BeforeTool')).length).toBe(4);
    expect(warnings.filter((line) => line.startsWith('AfterTool')).length).toBe(2);
  });

  test('a trigger continues without hooks when the host cannot give its session id', async () => {
    const { config, warnings } = await startSession({ BeforeTool: inParallel('exit 2') });
    vi.spyOn(config, 'getSessionId').mockImplementation(failing);
    expect(await fireBeforeToolHook(config, 'write_file', someInput)).toBeUndefined();
    expect(await executeToolWithHooks(config, 'write_file', someInput, write)).toEqual(written);
    expect(warnings.length).toBe(2);
  });
});

describe('a hook system that is disposed (G-10)', () => {
  test('a disposed hook system fires no hooks', async () => {
    const { config } = await startSession({ BeforeTool: inParallel('exit 2') });
    config.getHookSystem()!.dispose();
    expect(await fireBeforeToolHook(config, 'write_file', someInput)).toBeUndefined();
    expect(await executeToolWithHooks(config, 'write_file', someInput, write)).toEqual(written);
  });

  test('disposing a hook system lets running hooks finish, and their denial counts', async () => {
    const { config, folder } = await startSession({
      BeforeTool: inParallel('echo here >started; sleep 0.2; echo no >&2; exit 2'),
    });
    const tool = vi.fn(() => Promise.resolve(written));
    const call = executeToolWithHooks(config, 'write_file', someInput, tool);
    await untilWritten(join(folder, 'started'));
    config.getHookSystem()!.dispose();
    expect((await call).llmContent).toBe('no');
    expect(tool).not.toHaveBeenCalled();
  });

  test('disposing a hook system during a call skips its AfterTool hooks', async () => {
    const { config, folder } = await startSession({
      BeforeTool: inParallel('true'),
      AfterTool: inParallel('touch after-ran'),
    });
    const result = await executeToolWithHooks(config, 'write_file', someInput, async () => {
      config.getHookSystem()!.dispose();
      return written;
    });
    expect(result).toEqual(written);
    expect(existsSync(join(folder, 'after-ran'))).toBe(false);
  });
});

describe('executeToolWithHooks', () => {
  test('executeToolWithHooks takes a function without parameters (HOOK-133, C-64)', async () => {
    const { config } = await startSession({
      BeforeTool: inParallel(print({ systemMessage: 'Before.' })),
    });
    const result = await executeToolWithHooks(config, 'write_file', someInput, write);
    expect(result).toEqual({ ...written, llmContent: 'written\n\n[System] Before.' });
  });

  test('executeToolWithHooks passes the rewritten arguments and a signal to the function', async () => {
    const { config } = await startSession({
      BeforeTool: inParallel(print({ hookSpecificOutput: { tool_input: { file_path: 'b.txt' } } })),
    });
    const tool = vi.fn((_input: object, _signal: AbortSignal) => Promise.resolve(written));
    await executeToolWithHooks(config, 'write_file', someInput, tool);
    expect(tool).toHaveBeenCalledExactlyOnceWith(
      { file_path: 'b.txt', content: 'text' },
      expect.any(AbortSignal),
    );
  });

  test('executeToolWithHooks never rejects, even if the function throws synchronously', async () => {
    const { config } = await startSession({ BeforeTool: inParallel('true') });
    const result = await executeToolWithHooks(config, 'write_file', someInput, failing);
    expect(result).toMatchObject({ llmContent: 'no settings today', error: { type: 'Error' } });
  });

  test('executeToolWithHooks can be cancelled', async () => {
    const { config } = await startSession({ BeforeTool: inParallel('true') });
    const result = await executeToolWithHooks(
      config,
      'write_file',
      someInput,
      () => new Promise(() => undefined),
      { signal: AbortSignal.timeout(100) },
    );
    expect(result.error?.type).toBe('cancelled');
  });
});
