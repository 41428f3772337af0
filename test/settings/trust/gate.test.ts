import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import type { HookSystemConfig } from '../../../src/hosts/system/hook-system-config.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { HookPlanner } from '../../../src/core/plan/hook-planner.ts';
import { HookSystem } from '../../../src/hosts/system/hook-system.ts';
import type { HookTrust } from '../../../src/core/definitions/hook-trust.ts';
import { sandbox } from '../../support/sandbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { inParallel, inSequence, someFields, startSession } from '../../support/session.ts';

const deny = (name: string) => ({ command: `touch ${name}.ran; echo ${name} >&2; exit 2`, name });
const command = (text: string) => [{ hooks: [{ type: 'command', command: text }] }];

describe('a folder that the host does not trust', () => {
  test('no hook of an untrusted folder runs, and each is warned of once (C-104)', async () => {
    const session = await startSession(
      { BeforeTool: inParallel(deny('one'), deny('two')) },
      { isTrustedFolder: () => false },
    );
    for (let round = 0; round < 2; round++)
      expect(await session.fire('BeforeTool', someFields.BeforeTool)).toMatchObject({
        success: true,
        plan: null,
        results: [],
      });
    expect(existsSync(join(session.folder, 'one.ran'))).toBe(false);
    expect(session.warnings).toEqual([
      'hook "one" (BeforeTool) was skipped: this folder is not trusted; trust it to have its hooks run',
      'hook "two" (BeforeTool) was skipped: this folder is not trusted; trust it to have its hooks run',
    ]);
    // It does not check trust, so it cannot know.
    expect(session.config.getHookSystem()!.hasHooksFor('BeforeTool', 'write_file')).toBe(true);
  });

  test('hooks of a folder run as soon as it is trusted, and no longer once it is not', async () => {
    let trusted = false;
    const session = await startSession(
      { BeforeTool: inParallel(deny('one')) },
      { isTrustedFolder: () => trusted },
    );
    const ran = async () =>
      (await session.fire('BeforeTool', someFields.BeforeTool)).results.length;
    expect(await ran()).toBe(0);
    trusted = true;
    expect(await ran()).toBe(1);
    trusted = false;
    expect(await ran()).toBe(0);
  });

  test('hooks of the user, the system and extensions run in an untrusted folder (C-10)', async () => {
    const config = trustless([
      { source: 'project', hooks: { BeforeTool: command('touch project') } },
      { source: 'user', hooks: { BeforeTool: command('touch user') } },
      { source: 'system', hooks: { BeforeTool: command('touch system') } },
      { source: 'extension', hooks: { BeforeTool: command('touch extension') } },
    ]);
    expect(await sourcesRun(config)).toEqual(['user', 'system', 'extension']);
  });

  test('an untrusted folder cannot remove a hook of the user by naming its command', async () => {
    const config = trustless([
      { source: 'project', hooks: { BeforeTool: command('touch a') } },
      { source: 'user', hooks: { BeforeTool: command('touch a') } },
    ]);
    expect(await sourcesRun(config)).toEqual(['user']);
  });

  test('an untrusted folder cannot force hooks to run in sequence', async () => {
    const config = trustless([
      { source: 'project', hooks: { BeforeTool: inSequence('true') } },
      { source: 'user', hooks: { BeforeTool: command('touch a') } },
    ]);
    const system = config.getHookSystem()!;
    await system.initialize();
    const { plan } = await system.getEventHandler().fire('BeforeTool', someFields.BeforeTool);
    expect(plan).toEqual({ mode: 'parallel', count: 1 });
  });

  test.each<[string, () => unknown]>([
    ['throws', () => expect.fail('no idea')],
    ['returns a promise', () => Promise.resolve(true)],
    ['returns nothing', () => undefined],
    ['returns 1', () => 1],
  ])('a folder is not trusted if isTrustedFolder of the host %s', async (_, isTrustedFolder) => {
    const session = await startSession(
      { BeforeTool: inParallel(deny('one')) },
      { isTrustedFolder: isTrustedFolder as () => boolean },
    );
    const { results } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(results).toEqual([]);
    expect(session.warnings).toEqual([expect.stringContaining('hook "one"')]);
  });

  test.each<[string, () => unknown]>([
    ['throws', () => expect.fail('no idea')],
    ['returns a promise', () => Promise.resolve({ trusted: true })],
    ['returns nothing', () => undefined],
  ])('a hook is not trusted if checkTrust %s', async (_, checkTrust) => {
    const session = await startSession(
      { BeforeTool: inParallel(deny('one')) },
      { checkTrust: checkTrust as () => HookTrust },
    );
    const { results } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(results).toEqual([]);
    expect(session.warnings).toEqual([expect.stringContaining('hook "one"')]);
  });

  test('tools run in an untrusted folder, and a warning says that the guard did not', async () => {
    const session = await startSession(
      { BeforeTool: inParallel(deny('one')) },
      { isTrustedFolder: () => false },
    );
    const tool = vi.fn(() => Promise.resolve({ llmContent: 'done', returnDisplay: 'done' }));
    const result = await executeToolWithHooks(session.config, 'write_file', {}, tool);
    expect(result.llmContent).toBe('done');
    expect(session.warnings).toHaveLength(1);
  });
});

describe('trust that is lost between the plan and the start', () => {
  test('losing trust keeps the next hook of a sequence from starting (C-104)', async () => {
    let trusted = true;
    const session = await startSession(
      { BeforeTool: inSequence({ command: 'echo one >> ran', name: 'one' }, deny('two')) },
      {
        isTrustedFolder: () => trusted,
        inspect: (event) => {
          if (event.type === '@xstate.event' && event.event.type === 'process.started')
            trusted = false;
        },
      },
    );
    const result = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(result.results.map(({ hook }) => hook.name)).toEqual(['one']);
    expect(result.finalOutput?.isBlockingDecision() ?? false).toBe(false);
    expect(readFileSync(join(session.folder, 'ran'), 'utf8')).toBe('one\n');
    expect(existsSync(join(session.folder, 'two.ran'))).toBe(false);
    expect(session.warnings).toEqual([expect.stringContaining('hook "two" (BeforeTool) was skip')]);
  });

  test('losing trust affects each hook separately', async () => {
    let asked = 0;
    const session = await startSession(
      { BeforeTool: inParallel({ command: 'touch one.ran', name: 'one' }, deny('two')) },
      {
        // The second hook is not trusted from the second check on.
        checkTrust: ({ name }): HookTrust =>
          name === 'one' || asked++ === 0
            ? { trusted: true }
            : { trusted: false, why: 'it has changed', fix: 'look at it' },
      },
    );
    const result = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(result.results.map(({ hook }) => hook.name)).toEqual(['one']);
    expect(result.success).toBe(true);
    expect(existsSync(join(session.folder, 'one.ran'))).toBe(true);
    expect(existsSync(join(session.folder, 'two.ran'))).toBe(false);
    expect(session.warnings).toEqual([
      'hook "two" (BeforeTool) was skipped: it has changed; look at it',
    ]);
  });
});

test('the warning about an untrusted hook keeps its fix however long the name is', async () => {
  const session = await startSession(
    { BeforeTool: inParallel(`true ${'x'.repeat(2_000)}`) },
    { checkTrust: () => ({ trusted: false, why: 'it is new', fix: 'look at it' }) },
  );
  await session.fire('BeforeTool', someFields.BeforeTool);
  expect(session.warnings).toEqual([expect.stringMatching(/was skipped: it is new; look at it$/)]);
});

type Sources = ReturnType<NonNullable<HookSystemConfig['getHookSources']>>;

/** The config of a folder that is not trusted, with hooks from these sources. */
function trustless(sources: Sources): HookSystemConfig {
  const config = createConfig({
    cwd: sandbox().project,
    settings: { tools: { enableHooks: true } },
    isTrustedFolder: () => false,
    onWarning: () => undefined,
  });
  return Object.assign(config, { getHookSources: () => sources });
}

async function sourcesRun(config: HookSystemConfig): Promise<string[]> {
  const system = config.getHookSystem()!;
  await system.initialize();
  const { results } = await system.getEventHandler().fire('BeforeTool', someFields.BeforeTool);
  return results.map(({ hook }) => hook.source);
}

describe('trust that is verified when a hook is about to start', () => {
  const denied = { why: 'its script has changed', fix: 'look at it', trusted: false } as const;

  test('a script that was swapped while its hook waited for its turn is refused', async () => {
    vi.stubEnv('HOOKMACHINE_HOOK_LIMIT', '1');
    const folder = tempFolder();
    const script = join(folder, 'guard.sh');
    const good = '#!/bin/sh\nexit 0\n';
    writeFileSync(script, good, { mode: 0o755 });
    const session = await startSession(
      {
        BeforeTool: inParallel(
          { command: `printf '#!/bin/sh\\ntouch evil' > guard.sh`, name: 'slow' },
          { command: './guard.sh', name: 'guard', onFailure: 'block' },
        ),
      },
      {
        cwd: folder,
        checkTrust: () => ({ trusted: true }),
        verifyTrust: async ({ name }) =>
          name === 'slow' || (await readFile(script, 'utf8')) === good ? { trusted: true } : denied,
      },
    );
    const result = await session.fire('BeforeTool', someFields.BeforeTool);
    vi.unstubAllEnvs();
    expect(existsSync(join(folder, 'evil'))).toBe(false);
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(result.results.map(({ hook, status }) => [hook.name, status])).toEqual([
      ['slow', 'ok'],
      ['guard', 'untrusted'],
    ]);
    expect(session.warnings).toEqual([
      expect.stringContaining('its script has changed; look at it'),
    ]);
  });

  test('a tool call is planned once before and once after, calls checkTrust at most twice per hook, and hasHooksFor does not call it', async () => {
    const asked: string[] = [];
    const session = await startSession(
      {
        BeforeTool: inParallel({ command: 'true', name: 'before' }),
        AfterTool: inParallel({ command: 'true', name: 'after' }),
      },
      {
        checkTrust: ({ name }) => {
          asked.push(name);
          return { trusted: true };
        },
      },
    );
    expect(session.config.getHookSystem()!.hasHooksFor('BeforeTool', 'write_file')).toBe(true);
    expect(asked).toEqual([]);
    const planned = vi.spyOn(HookPlanner.prototype, 'plan');
    await executeToolWithHooks(session.config, 'write_file', {}, () =>
      Promise.resolve({ llmContent: 'done', returnDisplay: 'done' }),
    );
    const events = planned.mock.calls.map(([event]) => event);
    planned.mockRestore();
    expect(events).toEqual(['BeforeTool', 'AfterTool']);
    expect(asked.toSorted()).toEqual(['after', 'after', 'before', 'before']);
  });

  test.each<[string, () => Promise<HookTrust>]>([
    ['rejects', () => Promise.reject(new Error('the disk is gone'))],
    ['returns no answer', () => Promise.resolve(undefined as unknown as HookTrust)],
  ])('a hook is not trusted if verifyTrust %s', async (_, verifyTrust) => {
    const session = await startSession({ BeforeTool: inParallel(deny('one')) }, { verifyTrust });
    await session.fire('BeforeTool', someFields.BeforeTool);
    expect(existsSync(join(session.folder, 'one.ran'))).toBe(false);
    expect(session.warnings).toEqual([expect.stringContaining('could not be found out')]);
  });

  test('no hook starts once the call was cancelled while verifyTrust was pending', async () => {
    let answer: ((trust: HookTrust) => void) | undefined;
    const abort = new AbortController();
    const session = await startSession(
      { BeforeTool: inParallel(deny('one')) },
      {
        verifyTrust: () => {
          queueMicrotask(() => abort.abort('given up'));
          return new Promise((resolve) => (answer = resolve));
        },
      },
    );
    await session.fire('BeforeTool', someFields.BeforeTool, { signal: abort.signal });
    answer?.({ trusted: true });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(existsSync(join(session.folder, 'one.ran'))).toBe(false);
  });

  test('a guard of the user runs even if the same command of the project may not', async () => {
    const folder = tempFolder();
    const hooks = { BeforeTool: [{ hooks: [{ type: 'command', ...deny('one') }] }] };
    const config = {
      ...createConfig({
        cwd: folder,
        settings: { tools: { enableHooks: true } },
        onWarning: () => undefined,
        verifyTrust: () => Promise.resolve(denied),
      }),
      getHookSources: () => [
        { source: 'project' as const, hooks },
        { source: 'user' as const, hooks },
      ],
    };
    const system = new HookSystem(config);
    await system.initialize();
    const result = await system.getEventHandler().fireBeforeToolEvent('write_file', {});
    expect(result.results.map(({ hook }) => hook.source)).toEqual(['user']);
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
  });
});
