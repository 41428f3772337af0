import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { fireBeforeModelHook } from '../../../src/core/calls/hook-triggers.ts';
import { createConfig, type CreateConfigOptions } from '../../../src/hosts/system/create-config.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';
import { someFields } from '../../support/session.ts';

const hooks = (command: string) => ({
  BeforeTool: [{ hooks: [{ type: 'command', command }] }],
});

const named = (name: string) => ({
  BeforeTool: [{ hooks: [{ type: 'command', command: `echo ${name}`, name }] }],
});

function session(box: Sandbox, options: Partial<CreateConfigOptions> = {}) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    onWarning: (line) => warnings.push(line),
    ...options,
  });
  const tool = vi.fn(() => Promise.resolve({ llmContent: 'done', returnDisplay: 'done' }));
  const call = async () => {
    const calls = tool.mock.calls.length;
    const { llmContent } = await executeToolWithHooks(config, 'write_file', {}, tool);
    return { ran: tool.mock.calls.length > calls, llmContent };
  };
  return { config, warnings, call };
}

describe('a system file whose guards are unknown (S-12)', () => {
  test('a system file that cannot be parsed denies tools, model calls and prompts without any hook, and says which file and why', async () => {
    const box = sandbox();
    box.write(box.files.system, '{ "hooks": ');
    const { config, call, warnings } = session(box);
    const { ran, llmContent } = await call();
    expect(ran).toBe(false);
    expect(llmContent).toContain(`${box.files.system}:1:12: not valid JSON`);
    const model = await fireBeforeModelHook(config, { model: 'm', contents: [] });
    expect(model).toMatchObject({ blocked: true });
    const system = config.getHookSystem()!;
    for (const event of ['BeforeTool', 'BeforeModel', 'BeforeAgent'] as const) {
      expect(system.hasHooksFor(event, 'x')).toBe(true);
      const { finalOutput, failure } = await system
        .getEventHandler()
        .fire(event, someFields[event]);
      expect(finalOutput?.isBlockingDecision()).toBe(true);
      expect(failure).toMatchObject({ event, stage: 'planning' });
    }
    expect(warnings).toEqual([expect.stringContaining('denied until it is fixed')]);
  });

  test('a system file that cannot be parsed only warns at other events, where other hooks still run', async () => {
    const box = sandbox();
    box.write(box.files.system, '[]');
    box.write(box.files.user, {
      enableHooks: true,
      hooks: { AfterTool: hooks('touch ran').BeforeTool },
    });
    const { config } = session(box);
    const system = config.getHookSystem()!;
    await system.initialize();
    expect(system.hasHooksFor('SessionStart', 'startup')).toBe(false);
    const { results, success } = await system
      .getEventHandler()
      .fire('AfterTool', someFields.AfterTool);
    expect([results.length, success]).toEqual([1, true]);
  });

  test('a system file that cannot be parsed is tried again at each event and recovers by itself: its own guards judge from then on', async () => {
    const box = sandbox();
    box.write(box.files.system, '{');
    const { config, call } = session(box);
    expect((await call()).ran).toBe(false);
    expect((await call()).ran).toBe(false);
    box.write(box.files.system, { enableHooks: true, hooks: hooks('echo ours >&2; exit 2') });
    expect(await call()).toEqual({ ran: false, llmContent: expect.stringContaining('ours') });
    box.write(box.files.system, '{');
    await config.getHookSystem()!.reload();
    expect((await call()).llmContent).toContain('not valid JSON');
    rmSync(box.files.system);
    expect((await call()).ran).toBe(true);
    expect(config.getHookSystem()).toBeUndefined();
  });

  test('a system file also recovers when events are fired only by the handler, and many at once', async () => {
    const box = sandbox();
    box.write(box.files.system, '{');
    const { config } = session(box);
    const system = config.getHookSystem()!;
    await system.initialize();
    const handler = system.getEventHandler();
    box.write(box.files.system, { enableHooks: true, hooks: hooks('echo one >> ran') });
    const results = await Promise.all(
      [1, 2, 3].map(() => handler.fire('BeforeTool', someFields.BeforeTool)),
    );
    expect(results.map(({ results: ran }) => ran.length)).toEqual([1, 1, 1]);
    expect(existsSync(join(box.project, 'ran'))).toBe(true);
  });

  test("a system file that cannot be parsed denies with every switch off and with only the system's hooks on, but not if the host runs no hooks", async () => {
    const box = sandbox();
    box.write(box.files.system, 'null');
    box.write(box.files.user, { hooksConfig: { enabled: false } });
    expect((await session(box).call()).ran).toBe(false);
    expect((await session(box, { enableHooks: 'system' }).call()).ran).toBe(false);
    expect((await session(box, { enableHooks: false }).call()).ran).toBe(true);
  });
});

describe('a file of the user or of a trusted project that cannot be read (S-10)', () => {
  test("a user's file that cannot be read gives a warning, and the other hooks judge", async () => {
    const box = sandbox();
    mkdirSync(box.files.user, { recursive: true });
    box.write(box.files.project, { enableHooks: true, hooks: hooks('echo no >&2; exit 2') });
    const { config, call, warnings } = session(box);
    expect(await call()).toEqual({ ran: false, llmContent: expect.stringContaining('no') });
    expect(config.getUnreadFiles?.()).toMatchObject([{ file: box.files.user }]);
    expect(warnings).toEqual([expect.stringContaining(`${box.files.user}: is not a file`)]);
  });

  test('a file that cannot be read denies if a failure denies by default at its own level or at a stronger one (S-09)', async () => {
    const box = sandbox();
    mkdirSync(box.files.project, { recursive: true });
    expect((await session(box).call()).ran).toBe(true);
    box.write(box.files.user, { defaultOnFailure: 'block' });
    expect(await session(box).call()).toEqual({
      ran: false,
      llmContent: expect.stringContaining(`${box.files.project}: is not a file`),
    });
    expect((await session(box, { isTrustedFolder: () => false }).call()).ran).toBe(true);
    rmSync(box.files.project, { recursive: true });
    box.write(box.files.project, { defaultOnFailure: 'block' });
    rmSync(box.files.user);
    mkdirSync(box.files.user, { recursive: true });
    expect((await session(box).call()).ran).toBe(true);
  });
});

test('a file that cannot be parsed denies only if a failure denies by default at a stronger level (S-10)', async () => {
  const box = sandbox();
  box.write(box.files.project, '{ "hooks": [');
  expect((await session(box).call()).ran).toBe(true);
  box.write(box.files.user, { defaultOnFailure: 'block' });
  expect(await session(box).call()).toEqual({
    ran: false,
    llmContent: expect.stringContaining(`${box.files.project}:1:13: not valid JSON`),
  });
});

describe('what the host switches at runtime', () => {
  test('what the host switches at runtime affects hooks of the user and weaker ones, never those of the administrator (C-04)', async () => {
    const box = sandbox();
    box.write(box.files.system, {
      enableHooks: true,
      hooks: named('guard'),
      hooksConfig: { disabled: ['theirs'] },
    });
    box.write(box.files.user, { hooks: named('mine') });
    box.write(box.files.project, { hooks: named('theirs') });
    const notes: string[] = [];
    const { config } = session(box, { onNote: ({ kind }) => notes.push(kind) });
    const system = config.getHookSystem()!;
    await system.initialize();
    for (const [name, isOn] of [
      ['guard', false],
      ['mine', false],
      ['theirs', true],
    ] as const)
      system.setHookEnabled(name, isOn);
    const enabled = system.getRegistry().getHooksForEvent('BeforeTool');
    expect(enabled.map(({ name }) => name)).toEqual(['guard']);
    expect(notes).toEqual(['taken']);
  });
});
