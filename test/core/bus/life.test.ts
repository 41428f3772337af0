import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { HookExecutionResponse, MessageBus } from '../../../src/core/bus/message-bus.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { HookSystem } from '../../../src/hosts/system/hook-system.ts';
import { inParallel, someFields } from '../../support/session.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { untilWritten, waitUntil } from '../../support/until.ts';
import { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE, startBusSession } from './bus.ts';

const message = {
  type: HOOK_EXECUTION_REQUEST,
  payload: { correlationId: 'id', eventName: 'BeforeTool', input: someFields.BeforeTool },
};
const guarded = { tools: { enableHooks: true }, hooks: { BeforeTool: inParallel('exit 2') } };

/** A bus of any kind, and the responses sent on it. */
interface SomeBus {
  readonly bus: MessageBus;
  readonly sent: HookExecutionResponse[];
  readonly send: () => void;
  readonly listeners: () => number;
}

const kinds: Readonly<Record<string, () => SomeBus>> = {
  'an EventEmitter': () => {
    const bus = new EventEmitter();
    const sent: HookExecutionResponse[] = [];
    bus.on(HOOK_EXECUTION_RESPONSE, (response: HookExecutionResponse) => sent.push(response));
    return {
      bus,
      sent,
      send: () => bus.emit(HOOK_EXECUTION_REQUEST, message),
      listeners: () => bus.listenerCount(HOOK_EXECUTION_REQUEST),
    };
  },
  'an emitter with removeListener only': () => plainBus('removeListener'),
  'an emitter whose on returns an unsubscribe function': () => plainBus('none'),
  'a bus with publish, subscribe and unsubscribe (Gemini CLI)': () => publishing(false),
  'a bus whose subscribe returns an unsubscribe function (LLxprt)': () => publishing(true),
};

type Listener = (message: unknown) => void;

function plainBus(end: 'removeListener' | 'none'): SomeBus {
  const listeners = new Set<Listener>();
  const sent: HookExecutionResponse[] = [];
  const remove = (_: string, listener: Listener) => listeners.delete(listener);
  const bus: MessageBus = {
    on: (channel, listener) => {
      expect(channel).toBe(HOOK_EXECUTION_REQUEST);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit: (channel, response) => {
      expect(channel).toBe(HOOK_EXECUTION_RESPONSE);
      return sent.push(response as HookExecutionResponse);
    },
    ...(end === 'removeListener' && { removeListener: remove }),
  };
  return {
    bus,
    sent,
    send: () => listeners.forEach((listener) => listener(message)),
    listeners: () => listeners.size,
  };
}

/** Shaped like the agents' own bus, which is an emitter underneath. */
function publishing(returnsEnd: boolean): SomeBus {
  const sent: HookExecutionResponse[] = [];
  class AgentBus extends EventEmitter {
    subscribe(channel: string, listener: Listener) {
      this.on(channel, listener);
      return returnsEnd ? () => this.off(channel, listener) : undefined;
    }
    unsubscribe(channel: string, listener: Listener) {
      expect(returnsEnd).toBe(false);
      this.off(channel, listener);
    }
    publish(response: unknown): Promise<void> {
      sent.push(response as HookExecutionResponse);
      return Promise.resolve();
    }
  }
  const bus = new AgentBus();
  return {
    bus,
    sent,
    send: () => bus.emit(HOOK_EXECUTION_REQUEST, message),
    listeners: () => bus.listenerCount(HOOK_EXECUTION_REQUEST),
  };
}

describe.each(Object.entries(kinds))('%s', (_, make) => {
  test('a bus carries requests and responses from the constructor until dispose (DELTA-HSYS-001, DELTA-HEVT-004, C-100)', async () => {
    const { bus, sent, send, listeners } = make();
    const config = createConfig({ cwd: tempFolder(), settings: guarded });
    const system = new HookSystem(config, bus);
    // The first request initialises the system.
    expect([system.isInitialized(), listeners()]).toEqual([false, 1]);
    send();
    await waitUntil(() => sent.length > 0);
    expect(sent[0]).toMatchObject({
      type: HOOK_EXECUTION_RESPONSE,
      payload: { correlationId: 'id', success: true, output: { success: false } },
    });
    await system.initialize();
    await system.reload();
    system.setHookEnabled('exit 2', true);
    expect(listeners()).toBe(1);
    system.dispose();
    system.dispose();
    expect(listeners()).toBe(0);
    send();
    await pause(100);
    expect(sent).toHaveLength(1);
  });
});

test('a host’s config can provide the bus, which is listened to from initialize on (DELTA-HSYS-001)', async () => {
  const bus = new EventEmitter();
  const config = {
    ...createConfig({ cwd: tempFolder(), settings: guarded }),
    getMessageBus: () => bus,
  };
  const system = new HookSystem(config);
  expect(bus.listenerCount(HOOK_EXECUTION_REQUEST)).toBe(0);
  await system.initialize();
  await system.reload();
  expect(bus.listenerCount(HOOK_EXECUTION_REQUEST)).toBe(1);
  system.dispose();
  await system.reload();
  expect(bus.listenerCount(HOOK_EXECUTION_REQUEST)).toBe(0);
});

test('createConfig takes the bus, and its first getHookSystem listens to it (C-100)', () => {
  const bus = new EventEmitter();
  const config = createConfig({ cwd: tempFolder(), settings: guarded, messageBus: bus });
  expect(bus.listenerCount(HOOK_EXECUTION_REQUEST)).toBe(0);
  config.getHookSystem();
  config.getHookSystem();
  expect(bus.listenerCount(HOOK_EXECUTION_REQUEST)).toBe(1);
});

test('without a bus, the direct path is the same and dispose does not throw (DELTA-HBUS-002, DELTA-HEVT-004)', async () => {
  const config = createConfig({ cwd: tempFolder(), settings: guarded });
  const system = new HookSystem(config);
  await system.initialize();
  const { tool_name, tool_input } = someFields.BeforeTool;
  const result = await system.getEventHandler().fireBeforeToolEvent(tool_name, tool_input);
  expect(result.finalOutput?.isBlockingDecision()).toBe(true);
  expect(() => system.dispose()).not.toThrow();
});

test('dispose lets running calls finish, both direct ones and those from the bus (G-10)', async () => {
  const session = await startBusSession({
    BeforeTool: inParallel('touch started-$$; sleep 0.3; exit 2'),
  });
  const { folder, config, bus, responses } = session;
  bus.emit(HOOK_EXECUTION_REQUEST, message);
  const direct = session.fire('BeforeTool', someFields.BeforeTool);
  config.getHookSystem()!.dispose();
  bus.emit(HOOK_EXECUTION_REQUEST, message);
  expect((await direct).finalOutput?.isBlockingDecision()).toBe(true);
  await waitUntil(() => responses.length > 0);
  await pause(100);
  expect(responses).toHaveLength(1);
  expect(responses[0]?.payload.output?.finalOutput?.isBlockingDecision()).toBe(true);
  expect(existsSync(folder)).toBe(true);
});

describe('a bus or a listener that throws', () => {
  test('a response listener that throws does not affect decisions', async () => {
    const session = await startBusSession({
      BeforeTool: inParallel('exit 2'),
    });
    const { bus, ask, responses } = session;
    bus.on(HOOK_EXECUTION_RESPONSE, () => {
      throw new Error('no thanks');
    });
    await ask('BeforeTool', someFields.BeforeTool);
    await ask('BeforeTool', someFields.BeforeTool);
    expect(responses).toHaveLength(2);
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
  });

  test('a publish that rejects does not affect hooks', async () => {
    const folder = tempFolder();
    const published = vi.fn(() => Promise.reject(new Error('offline')));
    const listeners: Listener[] = [];
    const bus: MessageBus = {
      subscribe: (_, listener) => void listeners.push(listener),
      publish: published,
    };
    const hooks = { BeforeTool: inParallel('echo ran > ran; exit 2') };
    const system = new HookSystem(
      createConfig({ cwd: folder, settings: { ...guarded, hooks } }),
      bus,
    );
    listeners[0]!(message);
    await untilWritten(join(folder, 'ran'));
    await waitUntil(() => published.mock.calls.length > 0);
    system.dispose();
  });

  test('hooks run even if the bus throws on listening, with one warning, or on leaving', async () => {
    const warnings: string[] = [];
    const bus = {
      on: () => {
        throw new Error('no listeners here');
      },
      emit: () => true,
    };
    const config = createConfig({
      cwd: tempFolder(),
      settings: guarded,
      messageBus: bus,
      onWarning: (line) => warnings.push(line),
    });
    const system = config.getHookSystem()!;
    await system.initialize();
    expect(warnings).toEqual([
      'the message bus cannot be listened to (no listeners here); requests over it are not answered',
    ]);
    expect(system.hasHooksFor('BeforeTool', 'write_file')).toBe(true);
    const leaving = new HookSystem(createConfig({ cwd: tempFolder(), settings: guarded }), {
      on: () => undefined,
      emit: () => true,
      off: () => {
        throw new Error('you may never leave');
      },
    });
    expect(() => leaving.dispose()).not.toThrow();
  });
});

test('a host that is not ready is an internal error, and the next request is answered (G-07)', async () => {
  let ready = false;
  const bus = new EventEmitter();
  const responses: HookExecutionResponse[] = [];
  bus.on(HOOK_EXECUTION_RESPONSE, (response: HookExecutionResponse) => responses.push(response));
  const own = createConfig({ cwd: tempFolder(), settings: guarded });
  const system = new HookSystem(
    {
      ...own,
      getHookSources: () => {
        if (!ready) throw new Error('not yet');
        return own.getHookSources!();
      },
    },
    bus,
  );
  bus.emit(HOOK_EXECUTION_REQUEST, message);
  await waitUntil(() => responses.length === 1);
  expect(responses[0]?.payload.error).toEqual({
    code: 'internal_error',
    message: 'not yet',
    details: { stage: 'planning', eventName: 'BeforeTool' },
  });
  ready = true;
  bus.emit(HOOK_EXECUTION_REQUEST, message);
  await waitUntil(() => responses.length === 2);
  expect(responses[1]?.payload.success).toBe(true);
  system.dispose();
});
