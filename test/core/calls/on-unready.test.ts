import { describe, expect, test, vi } from 'vitest';
import { fireEvent } from '../../../src/adapters/parts/fire-event.ts';
import { ToolScheduler } from '../../../src/agent/loop/tool-scheduler.ts';
import { ChatLoop } from '../../../src/agent/loop/chat-loop.ts';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import {
  fireAfterModelHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
  fireAfterToolHook,
  fireBeforeToolHook,
} from '../../../src/core/calls/hook-triggers.ts';
import type { Dialect } from '../../../src/core/dialects/dialect.ts';
import { kodelet } from '../../../src/hosts/kodelet/index.ts';
import { llxprt } from '../../../src/hosts/llxprt/index.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import type { HookSystemConfig } from '../../../src/hosts/system/hook-system-config.ts';
import { all, kinds } from '../../support/chat.ts';
import { someModel, wanting, saying } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const hook = { hooks: [{ type: 'command' as const, command: 'true' }] };
const settings = {
  tools: { enableHooks: true },
  hooks: {
    BeforeTool: [hook],
    AfterTool: [hook],
    BeforeModel: [hook],
    AfterModel: [hook],
    BeforeToolSelection: [hook],
    BeforeAgent: [hook],
    AfterAgent: [hook],
  },
};
const broken = (): never => {
  throw new Error('it is broken');
};

/** Causes that keep hooks from running, each at a different point. */
const causes: Readonly<Record<string, (config: HookSystemConfig) => HookSystemConfig>> = {
  'the host cannot provide the hook system': (config) => ({ ...config, getHookSystem: broken }),
  'the hook system cannot be initialised': (config) => {
    vi.spyOn(config.getHookSystem()!, 'initialize').mockImplementation(() =>
      Promise.reject(new Error('it is broken')),
    );
    return config;
  },
  'a dialect cannot tell whether it is present': (config) =>
    withDialect(config, { ...kodelet, mayBeIn: broken }),
  'the hooks of a dialect cannot be found': (config) =>
    withDialect(config, { ...llxprt, find: broken }),
  'the hooks cannot be planned': (config) => {
    vi.spyOn(config.getHookSystem()!, 'getEventHandler').mockImplementation(broken);
    return config;
  },
  'hooks cannot receive the event': (config) => {
    config.getSessionId = broken;
    return config;
  },
};

const withDialect = (config: HookSystemConfig, dialect: Dialect): HookSystemConfig => {
  config.getDialects = () => [dialect];
  return config;
};

function unready(cause: (config: HookSystemConfig) => HookSystemConfig, onUnready?: 'block') {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: tempFolder(),
    settings,
    onWarning: (line) => warnings.push(line),
    ...(onUnready && { onUnready }),
  });
  return { config: cause(config), warnings };
}

const reason = 'Blocked because the hooks could not be run: it is broken';
const done = async () => ({ llmContent: 'ran', returnDisplay: 'ran' });

describe.each(Object.entries(causes))('if %s', (_, cause) => {
  test('a host that fails closed runs no tool if hooks cannot run, and the model is told why', async () => {
    const { config, warnings } = unready(cause, 'block');
    const execute = vi.fn(done);
    const { llmContent, error } = await executeToolWithHooks(config, 'write_file', {}, execute);
    expect(llmContent).toBe(reason);
    expect(error).toMatchObject({ type: 'blocked_by_hook' });
    const tool = someTool('write_file', execute);
    const { calls } = await new ToolScheduler({
      config,
      tools: new Map([[tool.name, tool]]),
    }).schedule([{ id: '1', name: 'write_file', input: {} }]);
    expect(calls.map(({ outcome }) => outcome.status)).toEqual(['blocked']);
    expect(execute).not.toHaveBeenCalled();
    const output = await fireBeforeToolHook(config, 'write_file', {});
    expect([output?.isBlockingDecision(), output?.getBlockReason()]).toEqual([true, reason]);
    expect(warnings.join('\n')).toContain('it blocks, as onUnready says');
    expect(warnings.join('\n')).not.toContain('continuing without hooks');
  });

  test('a host that fails closed calls no model if hooks cannot run', async () => {
    const { config } = unready(cause, 'block');
    expect(await fireBeforeModelHook(config, { model: 'm', contents: 'hi' })).toMatchObject({
      blocked: true,
      reason,
    });
  });

  test('a host that fails closed accepts no prompt if hooks cannot run', async () => {
    const { config } = unready(cause, 'block');
    const model = someModel(saying(wanting('write_file', {})), 'done');
    const chat = new ChatLoop({ config, model, tools: new Map() });
    const events = await all(chat.run('hi'));
    expect(events.at(-1)).toEqual({ type: 'promptBlocked', reason });
    expect(model.requests).toEqual([]);
    const fired = await fireEvent(config, 'BeforeAgent', { prompt: 'hi' });
    expect(fired?.finalOutput?.getBlockReason()).toBe(reason);
  });

  test('a host that fails closed blocks nothing that has already happened', async () => {
    const { config } = unready(cause, 'block');
    const request = { model: 'm', contents: 'hi' };
    const response = saying('hello');
    expect(await fireAfterToolHook(config, 'write_file', {}, await done())).toBeUndefined();
    expect((await fireAfterModelHook(config, request, response)).response).toBe(response);
    expect(await fireBeforeToolSelectionHook(config, request)).toMatchObject({ shouldStop: false });
  });

  test('a host that fails open continues with a warning if hooks cannot run (HOOK-111)', async () => {
    const { config, warnings } = unready(cause);
    const { llmContent } = await executeToolWithHooks(config, 'write_file', {}, done);
    expect(llmContent).toBe('ran');
    expect(warnings.join('\n')).toContain('it is broken');
    const chat = new ChatLoop({ config, model: someModel('hello'), tools: new Map() });
    expect(kinds(await all(chat.run('hi'))).at(-1)).toBe('finalAnswer');
  });
});

test('a host that fails closed runs its hooks again as soon as an event can run them', async () => {
  const { config } = unready((made) => made, 'block');
  const initialize = vi.spyOn(config.getHookSystem()!, 'initialize');
  initialize.mockRejectedValueOnce(new Error('it is broken'));
  const call = async () => (await executeToolWithHooks(config, 'a', {}, done)).llmContent;
  expect([await call(), await call()]).toEqual([reason, 'ran']);
});

test('failing closed does not block if hooks are off, or if an event has no hook', async () => {
  const cwd = tempFolder();
  const off = createConfig({ cwd, settings, enableHooks: false, onUnready: 'block' });
  const none = createConfig({
    cwd,
    settings: { tools: { enableHooks: true } },
    onUnready: 'block',
  });
  none.getSessionId = broken;
  for (const config of [off, none])
    expect((await executeToolWithHooks(config, 'a', {}, done)).llmContent).toBe('ran');
});
