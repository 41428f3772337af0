import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../src/agent/tool-hook-triggers.ts';
import type { HookSystemConfig } from '../../src/hooks/config.ts';
import { createConfig } from '../../src/hooks/create-config.ts';
import type { HookTrust } from '../../src/trust/hook-trust.ts';
import { sandbox } from '../support/sandbox.ts';
import { inParallel, inSequence, someFields, startSession } from '../support/session.ts';

const deny = (name: string) => ({ command: `touch ${name}.ran; echo ${name} >&2; exit 2`, name });
const command = (text: string) => [{ hooks: [{ type: 'command', command: text }] }];

describe('a folder that the host does not trust', () => {
  test('has none of its hooks run, with one warning for each (C-104)', async () => {
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
    expect(session.config.getHookSystem()!.hasHooksFor('BeforeTool', 'write_file')).toBe(false);
  });

  test('has them run as soon as it is trusted, and no more when it is not', async () => {
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

  test('runs the hooks of the user, the system and of extensions (C-10)', async () => {
    const config = trustless([
      { source: 'project', hooks: { BeforeTool: command('touch project') } },
      { source: 'user', hooks: { BeforeTool: command('touch user') } },
      { source: 'system', hooks: { BeforeTool: command('touch system') } },
      { source: 'extension', hooks: { BeforeTool: command('touch extension') } },
    ]);
    expect(await sourcesRun(config)).toEqual(['user', 'system', 'extension']);
  });

  test('cannot take away a hook of the user by naming its command', async () => {
    const config = trustless([
      { source: 'project', hooks: { BeforeTool: command('touch a') } },
      { source: 'user', hooks: { BeforeTool: command('touch a') } },
    ]);
    expect(await sourcesRun(config)).toEqual(['user']);
  });

  test('cannot force a sequence', async () => {
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
    ['promises', () => Promise.resolve(true)],
    ['says nothing', () => undefined],
    ['says 1', () => 1],
  ])('is one whose host %s', async (_, isTrustedFolder) => {
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
    ['promises', () => Promise.resolve({ trusted: true })],
    ['says nothing', () => undefined],
  ])('a host whose checkTrust %s trusts nothing', async (_, checkTrust) => {
    const session = await startSession(
      { BeforeTool: inParallel(deny('one')) },
      { checkTrust: checkTrust as () => HookTrust },
    );
    const { results } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(results).toEqual([]);
    expect(session.warnings).toEqual([expect.stringContaining('hook "one"')]);
  });

  test('lets tools run, and tells that the guard did not', async () => {
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
  test('keeps the next hook of a sequence from starting (C-104)', async () => {
    let trusted = true;
    const session = await startSession(
      { BeforeTool: inSequence({ command: 'echo one >> ran', name: 'one' }, deny('two')) },
      {
        isTrustedFolder: () => trusted,
        inspect: (event) => {
          if (event.type === '@xstate.actor' && (event.actorRef as { id?: string }).id === 'hook.0')
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

  test('counts for each hook by itself', async () => {
    let asked = 0;
    const session = await startSession(
      { BeforeTool: inParallel({ command: 'touch one.ran', name: 'one' }, deny('two')) },
      {
        // The second of them is not trusted from the second question on.
        checkTrust: ({ name }): HookTrust =>
          name === 'one' || asked++ === 0
            ? { trusted: true }
            : { trusted: false, why: 'it has changed', mend: 'look at it' },
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

test('the warning keeps its mend however long the name is', async () => {
  const session = await startSession(
    { BeforeTool: inParallel(`true ${'x'.repeat(2_000)}`) },
    { checkTrust: () => ({ trusted: false, why: 'it is new', mend: 'look at it' }) },
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
