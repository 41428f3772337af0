import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { emptyVerdict } from '../../../src/core/answers/merge-effects.ts';
import type { HookSystemConfig } from '../../../src/hosts/system/hook-system-config.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import {
  HookSystem,
  HookSystemNotInitializedError,
} from '../../../src/hosts/system/hook-system.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';
import { waitUntil } from '../../support/until.ts';

const run = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const before = (...entries: object[]) => ({
  enableHooks: true,
  hooks: { BeforeTool: [{ hooks: entries }] },
});

/** A hook system on the files of a sandbox, and its warnings. */
function systemOf({ project }: Sandbox) {
  const warnings: string[] = [];
  const config = createConfig({ cwd: project, onWarning: (line) => warnings.push(line) });
  return { system: new HookSystem(config), warnings };
}

/** Names of the hooks that would run before this tool. */
const planned = (system: HookSystem) =>
  system
    .getRegistry()
    .getHooksForEvent('BeforeTool')
    .map(({ name }) => name);

const fire = (system: HookSystem) => system.getEventHandler().fireBeforeToolEvent('write_file', {});

describe('before initialize', () => {
  test('an accessor that needs the hooks throws before initialize, and says what to do (HOOK-005, 148; C-07)', () => {
    const { system } = systemOf(sandbox());
    for (const ask of [() => system.getRegistry(), () => system.getEventHandler()]) {
      expect(ask).toThrow(HookSystemNotInitializedError);
      expect(ask).toThrow('The hook system is not initialised: await initialize() first.');
    }
  });

  test('any event may have hooks before initialize', () => {
    expect(systemOf(sandbox()).system.hasHooksFor('BeforeTool', 'write_file')).toBe(true);
  });

  test('nothing has been read before initialize, and the status says so (HOOK-009, 206; C-08)', () => {
    const box = sandbox();
    const asked = vi.fn();
    const config = new Proxy(createConfig({ cwd: box.project }), {
      get: (target, key: keyof HookSystemConfig) => {
        asked(key);
        return target[key];
      },
    });
    const system = new HookSystem(config);
    expect(system.getStatus()).toEqual({ initialized: false, totalHooks: 0 });
    expect(system.isInitialized()).toBe(false);
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('initialize', () => {
  test('initialize counts every hook, including disabled ones (HOOK-009)', async () => {
    const box = sandbox();
    box.write(box.files.project, {
      ...before(run('a'), run('b')),
      hooksConfig: { disabled: ['a'] },
    });
    const { system } = systemOf(box);
    await system.initialize();
    expect(system.getStatus()).toEqual({ initialized: true, totalHooks: 2 });
    expect(planned(system)).toEqual(['b']);
  });

  test('initialize reads once: later and concurrent calls leave all parts as they are (HOOK-003, 004; C-06, G-08)', async () => {
    const box = sandbox();
    box.write(box.files.project, before(run('a')));
    const { system } = systemOf(box);
    await Promise.all([system.initialize(), system.initialize(), system.initialize()]);
    const parts = [system.getRegistry(), system.getEventHandler()];
    box.write(box.files.project, before(run('b')));
    await system.initialize();
    expect([system.getRegistry(), system.getEventHandler()]).toEqual(parts);
    expect(system.getRegistry()).toBe(parts[0]);
    expect(planned(system)).toEqual(['a']);
  });

  test("initialize rejects when the host's config throws, and the next call tries again (G-07)", async () => {
    let fails = true;
    const config: HookSystemConfig = {
      ...createConfig({ cwd: '/p', settings: { enableHooks: true } }),
      getHookSources: () => {
        if (fails) throw new Error('the host is not ready');
        return [{ source: 'project', hooks: before(run('a')).hooks }];
      },
    };
    const system = new HookSystem(config);
    await expect(system.initialize()).rejects.toThrow('the host is not ready');
    expect(system.isInitialized()).toBe(false);
    expect(() => system.getRegistry()).toThrow(HookSystemNotInitializedError);
    fails = false;
    await system.initialize();
    expect(planned(system)).toEqual(['a']);
  });

  test('initialize reports each problem once, on one line', async () => {
    const box = sandbox();
    box.write(
      box.files.project,
      before(run('ok'), { command: 'x' }, run('y', { timeout: 'a\nb\u001B[31m' })),
    );
    box.write(box.files.user, '{ "hooks": ');
    const { system, warnings } = systemOf(box);
    await system.initialize();
    await system.reload();
    await system.reload();
    expect(warnings).toHaveLength(3);
    // oxlint-disable-next-line no-control-regex -- none of them may reach a terminal
    for (const line of warnings) expect(line).toMatch(/^[^\u0000-\u001F]+; [^\u0000-\u001F]+$/);
    expect(planned(system)).toEqual(['ok', 'y']);
  });

  test('initialize warns on stderr unless the host says where', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const settings = { enableHooks: true, hooks: { BeforeTool: [5] } } as never;
      await new HookSystem(createConfig({ cwd: '/p', settings })).initialize();
      expect(write.mock.calls).toEqual([
        [
          'hookmachine: hooks.BeforeTool[0]: is 5, so the group was discarded; make it a hook group: { "matcher": "…", "hooks": [ … ] }\n',
        ],
      ]);
    } finally {
      write.mockRestore();
    }
  });
});

describe('whether any hook would run', () => {
  test('hasHooksFor answers at once, without a promise, a process or a payload (HOOK-011 to 013, C-23, C-24)', async () => {
    const box = sandbox();
    const hooks = { BeforeTool: [{ matcher: 'write', hooks: [run('touch started')] }] };
    box.write(box.files.project, { enableHooks: true, hooks });
    const { system } = systemOf(box);
    await system.initialize();
    expect(system.hasHooksFor('BeforeTool', 'write_file')).toBe(true);
    expect(system.hasHooksFor('BeforeTool', 'read_file')).toBe(false);
    expect(system.hasHooksFor('AfterTool', 'write_file')).toBe(false);
    expect(system.hasHooksFor('BeforeModel')).toBe(false);
    expect(system.getEventHandler().plan('BeforeTool', 'read_file')).toBeUndefined();
    expect(existsSync(join(box.project, 'started'))).toBe(false);
  });

  test('an event that no hook matches succeeds with its own empty result (HOOK-145)', async () => {
    const { system } = systemOf(sandbox());
    await system.initialize();
    const [one, other] = [await fire(system), await fire(system)];
    expect(one).toEqual({
      success: true,
      allOutputs: [],
      errors: [],
      totalDuration: 0,
      plan: null,
      results: [],
      conflicts: [],
      setBy: {},
      verdict: emptyVerdict,
    });
    expect(one).not.toBe(other);
    expect(one.allOutputs).not.toBe(other.allOutputs);
  });

  test('a matcher that cannot be evaluated is reported once, whatever the tools are called', async () => {
    const box = sandbox();
    const hooks = { BeforeTool: [{ matcher: '^(a+)+$', hooks: [run('exit 0')] }] };
    box.write(box.files.project, { enableHooks: true, hooks });
    const { system, warnings } = systemOf(box);
    await system.initialize();
    for (const end of ['!', '?', '.'])
      expect(system.hasHooksFor('BeforeTool', `${'a'.repeat(60)}${end}`)).toBe(true);
    expect(warnings).toHaveLength(1);
    const result = await system.getEventHandler().fireBeforeToolEvent(`${'a'.repeat(60)}!`, {});
    expect(result.results).toMatchObject([{ exitCode: 0 }]);
    expect(warnings).toHaveLength(1);
  });
});

describe('reload', () => {
  test('reload puts new hooks in force for the next plan, through the one handler that callers keep (HOOK-006, C-06)', async () => {
    const box = sandbox();
    box.write(box.files.project, before(run('echo one')));
    const { system } = systemOf(box);
    await system.initialize();
    const handler = system.getEventHandler();
    expect((await fire(system)).finalOutput?.systemMessage).toBe('one');
    box.write(box.files.project, before(run('echo two')));
    expect((await fire(system)).finalOutput?.systemMessage).toBe('one');
    await system.reload();
    expect((await fire(system)).finalOutput?.systemMessage).toBe('two');
    // A caller that kept the handler is not left with the old hooks.
    expect(system.getEventHandler()).toBe(handler);
  });

  test('reload before initialize initialises the system', async () => {
    const { system } = systemOf(sandbox());
    await system.reload();
    expect(system.isInitialized()).toBe(true);
  });

  test('reload leaves a running plan as it is (G-09)', async () => {
    const box = sandbox();
    const wait = 'touch started; while [ ! -e go ]; do sleep 0.02; done; echo old';
    box.write(box.files.project, before(run(wait), run('exit 0')));
    const { system } = systemOf(box);
    await system.initialize();
    const running = fire(system);
    await waitUntil(() => existsSync(join(box.project, 'started')));
    box.write(box.files.project, before(run('echo new')));
    await system.reload();
    expect((await fire(system)).finalOutput?.systemMessage).toBe('new');
    writeFileSync(join(box.project, 'go'), '');
    const result = await running;
    expect(result.finalOutput?.systemMessage).toBe('old');
    expect(result.results).toHaveLength(2);
  });

  test('reload after a broken edit keeps the last good hooks, and says so once', async () => {
    const box = sandbox();
    box.write(box.files.project, before(run('guard')));
    const { system, warnings } = systemOf(box);
    await system.initialize();
    box.write(box.files.project, '{ "enableHooks": true, "hooks": { "BeforeTool": [');
    await system.reload();
    await system.reload();
    expect(planned(system)).toEqual(['guard']);
    expect(warnings).toEqual([
      `${box.files.project}:1:50: not valid JSON (a closing ] is expected), so its last valid content still counts; fix the JSON there`,
    ]);
    box.write(box.files.project, before(run('fixed')));
    await system.reload();
    expect(planned(system)).toEqual(['fixed']);
    expect(warnings).toHaveLength(1);
  });

  test('reload can switch hooks off, also for a caller that kept the system', async () => {
    const box = sandbox();
    box.write(box.files.project, before(run('exit 2')));
    const { system } = systemOf(box);
    await system.initialize();
    box.write(box.files.project, { ...before(run('exit 2')), enableHooks: false });
    await system.reload();
    expect(system.hasHooksFor('BeforeTool', 'write_file')).toBe(false);
    expect((await fire(system)).plan).toBeNull();
    expect(system.getStatus().totalHooks).toBe(1);
  });

  test('a reload that throws leaves the hooks as they were', async () => {
    let fails = false;
    const config: HookSystemConfig = {
      ...createConfig({ cwd: '/p', settings: before(run('a')) as never }),
      reloadSettings: () => {
        if (fails) throw new Error('no');
      },
    };
    const system = new HookSystem(config);
    await system.initialize();
    fails = true;
    await expect(system.reload()).rejects.toThrow('no');
    expect(planned(system)).toEqual(['a']);
  });
});

describe('hooks switched at runtime (DELTA-HSYS-002, C-105)', () => {
  test('hooks are switched by name or command, for the next plan and across reloads (C-06, G-09)', async () => {
    const box = sandbox();
    box.write(box.files.project, before(run('a', { name: 'one' }), run('b'), run('c')));
    const { system } = systemOf(box);
    await system.initialize();
    system.setHookEnabled('one', false);
    system.setHookEnabled('b', false);
    expect(planned(system)).toEqual(['c']);
    expect(system.getStatus().totalHooks).toBe(3);
    await system.reload();
    expect(planned(system)).toEqual(['c']);
    system.setHookEnabled('one', true);
    expect(planned(system)).toEqual(['one', 'c']);
    system.setHookEnabled('no such hook', false);
    expect(planned(system)).toEqual(['one', 'c']);
  });

  test('hooks can be switched before initialize', async () => {
    const box = sandbox();
    box.write(box.files.project, before(run('a'), run('b')));
    const { system } = systemOf(box);
    system.setHookEnabled('a', false);
    await system.initialize();
    expect(planned(system)).toEqual(['b']);
  });

  test('an event whose hooks are all switched off has nothing left to run', async () => {
    const box = sandbox();
    box.write(box.files.project, before(run('exit 2')));
    const { system } = systemOf(box);
    await system.initialize();
    expect(system.hasHooksFor('BeforeTool', 'x')).toBe(true);
    system.setHookEnabled('exit 2', false);
    expect(system.hasHooksFor('BeforeTool', 'x')).toBe(false);
    expect((await fire(system)).finalOutput).toBeUndefined();
  });
});

describe('dispose (G-10, DELTA-HEVT-004)', () => {
  test('dispose lets a running event finish, and nothing fires any more', async () => {
    const box = sandbox();
    const wait = 'touch started; while [ ! -e go ]; do sleep 0.02; done; exit 2';
    box.write(box.files.project, before(run(wait)));
    const { system } = systemOf(box);
    await system.initialize();
    const handler = system.getEventHandler();
    const running = fire(system);
    await waitUntil(() => existsSync(join(box.project, 'started')));
    system.dispose();
    system.dispose();
    expect(system.hasHooksFor('BeforeTool', 'write_file')).toBe(false);
    const late = await handler.fireBeforeToolEvent('write_file', {});
    expect([late.success, late.finalOutput, late.plan]).toEqual([true, undefined, null]);
    writeFileSync(join(box.project, 'go'), '');
    expect((await running).finalOutput?.isBlockingDecision()).toBe(true);
  });

  test('dispose holds after a reload, and for a handler from before it', async () => {
    const box = sandbox();
    box.write(box.files.project, before(run('exit 2')));
    const { system } = systemOf(box);
    await system.initialize();
    const handler = system.getEventHandler();
    await system.reload();
    system.dispose();
    await system.reload();
    for (const one of [handler, system.getEventHandler()])
      expect((await one.fireBeforeToolEvent('x', {})).plan).toBeNull();
  });

  test('disposing a system that was never initialised lets a late caller pass', async () => {
    const box = sandbox();
    box.write(box.files.project, before(run('exit 2')));
    const { system } = systemOf(box);
    system.dispose();
    expect(system.hasHooksFor('BeforeTool', 'x')).toBe(false);
    await system.initialize();
    expect((await fire(system)).plan).toBeNull();
  });
});
