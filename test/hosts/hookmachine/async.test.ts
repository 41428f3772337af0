import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { accounts, type CallAccount } from '../../../src/watch/journal/account.ts';
import type { JournalEntry } from '../../../src/watch/journal/entry.ts';
import { explain } from '../../../src/watch/journal/explain.ts';
import { faultOf } from '../../../src/watch/journal/is-entry.ts';
import { journalTo } from '../../../src/watch/journal/journal.ts';
import { hookEvent, runMachine } from '../../../src/core/run/run-machine.ts';
import type { AggregatedHookResult } from '../../../src/core/answers/results.ts';
import { hookAt, sessionIn } from '../../support/own-hooks.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';
import { print, someFields } from '../../support/session.ts';
import { waitUntil } from '../../support/until.ts';

/** A command that waits in the project folder until the test lets it continue. */
const held = (then: string): string => `touch began; until [ -e go ]; do sleep 0.02; done; ${then}`;

const unawaited = (command: string, more: object = {}) => ({
  type: 'command',
  command: held(command),
  async: true,
  ...more,
});

const letGo = ({ project }: Sandbox): void => writeFileSync(join(project, 'go'), '');

/** Starts a session with one async hook and fires its event. */
async function begun(hook: object, box = sandbox()) {
  box.write(box.own.user, hookAt('tool.before', hook));
  const session = sessionIn(box, { sessionId: 'one' });
  const system = session.config.getHookSystem()!;
  const results: unknown[] = [];
  const first = await session.fire('BeforeTool', someFields.BeforeTool);
  system.on('hook:result', (result) => results.push(result));
  await waitUntil(() => existsSync(join(box.project, 'began')));
  const ended = async () => {
    letGo(box);
    await waitUntil(() => results.length > 0);
  };
  return { ...session, box, system, results, first, ended };
}

describe('a hook with "async": true', () => {
  test('an async hook is not waited for, and can neither deny nor change the call', async () => {
    const denial = { decision: 'deny', reason: 'no', hookSpecificOutput: { tool_input: { a: 1 } } };
    const { first, ended, warnings, fire } = await begun(unawaited(print(denial)));
    expect(first).toMatchObject({ success: true, results: [], plan: { count: 1 } });
    expect(first.finalOutput).toBeUndefined();
    await ended();
    expect(warnings).toEqual([
      expect.stringContaining('its denial has no effect: an "async" hook is not waited for'),
      expect.stringContaining('its change has no effect: an "async" hook is not waited for'),
    ]);
    expect((await fire('BeforeAgent', someFields.BeforeAgent)).finalOutput).toBeUndefined();
  });

  test('an async hook’s context and message are reported once, with the next prompt', async () => {
    const said = { systemMessage: 'hi', hookSpecificOutput: { additionalContext: 'slow news' } };
    const { ended, fire, system } = await begun(unawaited(print(said)));
    expect(system.hasHooksFor('BeforeAgent')).toBe(false);
    await ended();
    expect(system.hasHooksFor('BeforeAgent')).toBe(true);
    expect(system.hasHooksFor('AfterAgent')).toBe(false);
    const { finalOutput, verdict } = await fire('BeforeAgent', someFields.BeforeAgent);
    expect(finalOutput?.getAdditionalContext()).toBe('slow news');
    expect(finalOutput?.systemMessage).toBe('hi');
    expect(verdict).toMatchObject({ context: 'slow news', message: 'hi' });
    expect(verdict.decision).toBeUndefined();
    expect(system.hasHooksFor('BeforeAgent')).toBe(false);
  });

  test('an async hook’s context is reported only to the session whose call it was about', async () => {
    const said = { hookSpecificOutput: { additionalContext: 'slow news' } };
    const box = sandbox();
    box.write(box.own.user, hookAt('tool.before', unawaited(print(said))));
    const { config } = sessionIn(box, { sessionId: 'one' });
    const system = config.getHookSystem()!;
    await system.initialize();
    const handler = system.getEventHandler();
    const results: unknown[] = [];
    system.on('hook:result', (result) => results.push(result));
    await handler.fire('BeforeTool', someFields.BeforeTool, { sessionId: 'two' });
    letGo(box);
    await waitUntil(() => results.length > 0);
    const asked = async (sessionId?: string) => {
      if (!system.hasHooksFor('BeforeAgent')) return undefined;
      const { finalOutput } = await handler.fire('BeforeAgent', someFields.BeforeAgent, {
        sessionId,
      });
      return finalOutput?.getAdditionalContext();
    };
    expect([await asked(), await asked('two'), await asked('two')]).toEqual([
      undefined,
      'slow news',
      undefined,
    ]);
  });

  test('an async hook’s context is reported even if the next event is planned before its session is known', async () => {
    const said = { hookSpecificOutput: { additionalContext: 'slow news' } };
    const box = sandbox();
    box.write(box.own.user, hookAt('tool.before', unawaited(print(said))));
    const { config } = sessionIn(box, { sessionId: 'one' });
    const system = config.getHookSystem()!;
    await system.initialize();
    const handler = system.getEventHandler();
    const results: unknown[] = [];
    system.on('hook:result', (result) => results.push(result));
    await handler.fire('BeforeTool', someFields.BeforeTool, { sessionId: 'two' });
    letGo(box);
    await waitUntil(() => results.length > 0);
    const planned = handler.plan('BeforeAgent')!;
    const told = new Promise<AggregatedHookResult>((resolve) => {
      const input = handler.prepare(planned, () => someFields.BeforeAgent, {
        context: { sessionId: 'two' },
        onDecided: resolve,
      });
      void runMachine(hookEvent, input, {});
    });
    expect((await told).verdict).toMatchObject({ context: 'slow news' });
  });

  test('an async hook’s context is reported with the next model call, after the messages of that call’s hooks', async () => {
    const box = sandbox();
    const said = { hookSpecificOutput: { additionalContext: 'slow news' } };
    const session = await begun(unawaited(print(said)), box);
    box.write(box.files.user, {
      enableHooks: true,
      ...hookAt('BeforeModel', print({ systemMessage: 'at once' })),
    });
    await session.system.reload();
    await session.ended();
    const { finalOutput, results } = await session.fire('BeforeModel', someFields.BeforeModel);
    expect(results).toHaveLength(1);
    expect(finalOutput?.systemMessage).toBe('at once\nslow news');
  });

  test('an async hook that fails is reported, and nothing of it is passed on', async () => {
    const { ended, results, warnings, system } = await begun(unawaited('echo broken >&2; exit 3'));
    await ended();
    expect(results).toMatchObject([{ status: 'failed', exitCode: 3 }]);
    expect(warnings).toEqual([expect.stringContaining('failed and was ignored')]);
    expect(system.hasHooksFor('BeforeAgent')).toBe(false);
  });

  test('an async hook has a timeout too', async () => {
    const { results, warnings } = await begun(unawaited('', { timeout: 300 }));
    await waitUntil(() => results.length > 0);
    expect(results).toMatchObject([{ status: 'timedOut' }]);
    expect(warnings).toEqual([expect.stringContaining('failed and was ignored')]);
  });

  test('an async hook is ended when the hook system is disposed of', async () => {
    const box = sandbox();
    const { system, results } = await begun(unawaited('', {}), box);
    system.dispose();
    await waitUntil(() => results.length > 0);
    expect(results).toMatchObject([{ status: 'cancelled' }]);
  });

  test('an async hook receives the original event, without the changes of hooks before it', async () => {
    const box = sandbox();
    const change = print({ hookSpecificOutput: { tool_input: { path: 'other' } } });
    box.write(box.own.user, {
      hooks: {
        'tool.before': [
          {
            sequential: true,
            hooks: [
              { type: 'command', command: change },
              { type: 'command', command: 'cat > input; touch read', async: true },
              { type: 'command', command: 'cat > awaited' },
            ],
          },
        ],
      },
    });
    const { fire } = sessionIn(box);
    await fire('BeforeTool', { tool_name: 'some_tool', tool_input: { path: 'first' } });
    await waitUntil(() => existsSync(join(box.project, 'read')));
    const inputIn = (name: string) =>
      JSON.parse(readFileSync(join(box.project, name), 'utf8')).tool_input;
    expect([inputIn('input'), inputIn('awaited')]).toEqual([{ path: 'first' }, { path: 'other' }]);
  });

  test('an async hook and an awaited one with the same command are different hooks', async () => {
    const box = sandbox();
    const deny = { type: 'command', command: 'echo no >&2; exit 2' };
    box.write(box.own.user, hookAt('tool.before', deny));
    box.write(box.own.project, hookAt('tool.before', { ...deny, async: true }));
    const { fire } = sessionIn(box);
    const { verdict } = await fire('BeforeTool', someFields.BeforeTool);
    expect(verdict).toMatchObject({ decision: 'deny', reason: 'no' });
  });

  test('an async hook of a project that is no longer trusted is not started', async () => {
    const box = sandbox();
    box.write(box.own.project, hookAt('tool.before', unawaited('')));
    let asked = 0;
    const { fire, warnings } = sessionIn(box, {
      checkTrust: () =>
        asked++ === 0
          ? { trusted: true }
          : { trusted: false, why: 'it changed', fix: 'look at it' },
    });
    const { results } = await fire('BeforeTool', someFields.BeforeTool);
    expect(results).toEqual([]);
    await waitUntil(() => asked > 1 && warnings.length > 0);
    expect(warnings).toEqual([expect.stringContaining('was skipped: it changed')]);
    expect(existsSync(join(box.project, 'began'))).toBe(false);
  });

  test('an async hook is recorded and explained as a run of its own', async () => {
    const entries: JournalEntry[] = [];
    const journal = journalTo((entry) => entries.push(entry));
    const box = sandbox();
    box.write(
      box.own.user,
      hookAt('tool.before', unawaited('echo no >&2; exit 2', { name: 'slow' })),
    );
    const { fire } = sessionIn(box, { sessionId: 'one', inspect: journal.observe });
    await fire('BeforeTool', someFields.BeforeTool);
    letGo(box);
    await waitUntil(() => journal.running === 0 && entries.length > 10);
    const calls: CallAccount[] = await Readable.from(accounts(Readable.from(entries))).toArray();
    const said = calls.map((call) =>
      explain(call).map((line) => line.replaceAll(/\d+ ms/g, 'N ms')),
    );
    const unrecorded =
      'Arguments, texts, and what hooks read and wrote were not recorded: --record-payloads records them.';
    expect(said).toEqual([
      [
        'BeforeTool went through.',
        '',
        'BeforeTool: 1 hook, N ms',
        '  1. hook "slow" (user, hookmachine tool.before) was started, but not waited for',
        '  together: it may continue',
        '',
        unrecorded,
      ],
      [
        'slow was not waited for by its BeforeTool, and ended by itself.',
        '',
        '  hook "slow" (user, hookmachine tool.before) denied it: no (exit 2, N ms)',
        '',
        unrecorded,
      ],
    ]);
    expect(calls.map(({ session }) => session)).toEqual(['one', 'one']);
    expect(entries.map(faultOf).filter(Boolean)).toEqual([]);
  });

  test('an async hook cannot block by failing, and its onFailure is reported', async () => {
    const { warnings, first, ended } = await begun(unawaited('exit 3', { onFailure: 'block' }));
    expect(first.verdict.decision).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('an "async" hook is not waited for')]);
    await ended();
    expect(warnings[1]).toContain('failed and was ignored');
  });
});
