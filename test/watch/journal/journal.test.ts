import { describe, expect, test } from 'vitest';
import { runToolCall, toolCall } from '../../../src/core/calls/run-tool-call.ts';
import { modelCall } from '../../../src/core/calls/genai-model-call.ts';
import type { InspectObserver } from '../../../src/core/host/config.ts';
import { runMachine } from '../../../src/core/run/run-machine.ts';
import { journalTo } from '../../../src/watch/journal/journal.ts';
import { callTool, someInput, written } from '../../support/call-tool.ts';
import { startChat } from '../../support/chat.ts';
import { inParallel, inSequence, print, someFields, startSession } from '../../support/session.ts';
import { saying, wanting } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';
import { journaled } from './journaled.ts';

const rewrite = (command: string) => print({ hookSpecificOutput: { tool_input: { command } } });
const guarded = {
  BeforeTool: inSequence(
    { name: 'rewrite', command: rewrite('ls') },
    { name: 'slow', command: 'sleep 30', timeout: 50 },
    { name: 'broken', command: 'echo oops >&2; exit 1' },
    { name: 'guard', command: 'echo "not here" >&2; exit 2' },
    { name: 'late', command: 'true' },
  ),
};

const idsOf = (runs: readonly { id: string }[]) => new Set(runs.map(({ id }) => id));

describe('the journal', () => {
  test('the journal ties session, turn, model call, tool call, hook event and hook process together by ids', async () => {
    const seen = journaled();
    const { run } = await startChat(
      [saying(wanting('write', { path: 'a' }), wanting('write', { path: 'b' })), 'Done.'],
      {
        tools: [someTool('write')],
        hooks: { BeforeTool: inParallel({ name: 'look', command: 'true' }) },
        config: { ...seen.config, sessionId: 'session-1' },
      },
    );
    await run();
    const [turn] = seen.started('agentTurn');
    const [first, second] = seen.started('modelCall');
    const calls = seen.started('toolCall');
    const events = seen.started('hookEvent');
    expect(turn).not.toHaveProperty('parent');
    expect([first, second].map((call) => call?.parent)).toEqual([turn?.id, turn?.id]);
    expect(calls.map(({ parent }) => parent)).toEqual([turn?.id, turn?.id]);
    const hooks = seen.started('hookProcess');
    expect(events).toHaveLength(2);
    expect(new Set(events.map(({ parent }) => parent))).toEqual(idsOf(calls));
    expect(new Set(hooks.map(({ parent }) => parent))).toEqual(idsOf(events));
    expect(new Set(seen.of('started').map(({ session }) => session))).toEqual(
      new Set(['session-1']),
    );
    expect(new Set(seen.of('started').map(({ id }) => id)).size).toBe(seen.of('started').length);
  });

  test('the journal reports the plan, what each hook did, and who decided what', async () => {
    const seen = journaled();
    await callTool(guarded, { config: seen.config });
    expect(seen.started('toolCall')).toMatchObject([{ name: 'write_file', callId: 'call-1' }]);
    const [event] = seen.started('hookEvent');
    expect(event?.plan).toEqual({
      mode: 'sequential',
      hooks: [
        expect.objectContaining({ name: 'rewrite', source: 'project', timeout: 60_000 }),
        { name: 'slow', source: 'project', dialect: 'llxprt', command: 'sleep 30', timeout: 50 },
        expect.objectContaining({ name: 'broken' }),
        expect.objectContaining({ name: 'guard' }),
        expect.objectContaining({ name: 'late' }),
      ],
    });
    expect(seen.entryOf('answered', 'rewrite')).toMatchObject({
      status: 'ok',
      exitCode: 0,
      sets: ['tool_input.command'],
    });
    expect(seen.entryOf('answered', 'slow')).toMatchObject({ status: 'timedOut', timedOut: true });
    expect(seen.entryOf('answered', 'broken')).toMatchObject({ status: 'failed', exitCode: 1 });
    expect(seen.entryOf('answered', 'guard')).toMatchObject({
      decision: 'deny',
      reason: 'not here',
      exitCode: 2,
    });
    expect(seen.entryOf('answered', 'late')).toBeUndefined();
    expect(seen.of('verdict')).toMatchObject([
      {
        id: event?.id,
        blocked: true,
        stop: false,
        reason: 'not here',
        by: 'guard',
        setBy: { 'tool_input.command': 'rewrite' },
      },
    ]);
    expect(seen.entryOf('ended', 'write_file')).toMatchObject({
      status: 'blocked',
      reason: 'not here',
    });
    expect(seen.of('warned').map(({ text }) => text)).toContainEqual(
      expect.stringContaining('hook "slow" (BeforeTool) failed and was ignored'),
    );
  });

  test('the journal reports whose value was overruled', async () => {
    const seen = journaled();
    await callTool(
      {
        BeforeTool: inParallel(
          { name: 'a', command: rewrite('one') },
          { name: 'b', command: rewrite('two') },
        ),
      },
      { config: seen.config },
    );
    expect(seen.of('verdict')).toMatchObject([
      {
        conflicts: [{ field: 'tool_input.command', hooks: ['a', 'b'], winner: 'b' }],
        setBy: { 'tool_input.command': 'b' },
      },
    ]);
  });

  test('the journal reports who stops the agent, and why', async () => {
    const seen = journaled();
    const stop = print({ continue: false, stopReason: 'enough' });
    await callTool({ AfterTool: inParallel({ name: 'stopper', command: stop }) }, seen);
    expect(seen.of('verdict')).toMatchObject([{ stop: true, by: 'stopper', reason: 'enough' }]);
    expect(seen.entryOf('ended', 'write_file')).toMatchObject({
      status: 'stopped',
      reason: 'enough',
    });
  });

  test('a hook that lost trust is reported as untrusted', async () => {
    const seen = journaled();
    let isTrusted = true;
    const inspect: InspectObserver = (event) => {
      seen.journal.observe(event);
      // By now it was planned, and is about to start.
      if (event.type === '@xstate.actor') isTrusted = seen.started('hookEvent').length === 0;
    };
    await callTool(
      { BeforeTool: inParallel({ name: 'stranger', command: 'true' }) },
      { config: { inspect, isTrustedFolder: () => isTrusted } },
    );
    expect(seen.of('answered')).toMatchObject([{ status: 'untrusted' }]);
  });

  test('every path in the journal begins in the initial state, has no gaps and includes transient states', async () => {
    const seen = journaled();
    await callTool(guarded, seen);
    for (const { id } of seen.of('started')) {
      const path = seen.of('moved').filter((entry) => entry.id === id);
      expect(path[0]).not.toHaveProperty('from');
      expect(path.slice(1).map(({ from }) => from)).toEqual(path.slice(0, -1).map(({ to }) => to));
    }
    const pathOf = (id: string | undefined) =>
      seen.of('moved').flatMap((entry) => (entry.id === id ? [entry.to] : []));
    expect(pathOf(seen.started('toolCall')[0]?.id)).toEqual([
      'admitting',
      'beforeHooks.running',
      'judgingBefore',
      'blocked',
    ]);
    expect(pathOf(seen.started('hookEvent')[0]?.id).slice(0, 6)).toEqual([
      'hearing.waiting',
      'hearing.judging',
      'hearing.waiting',
      'hearing.judging',
      'hearing.waiting',
      'hearing.judging',
    ]);
    // Its end may be seen before the end of its outputs.
    const path = pathOf(seen.started('hookProcess')[0]?.id).filter((to) => to !== 'alive.draining');
    expect(path).toEqual(['alive.starting', 'alive.running', 'exited']);
  });

  test('a run ends before the run that started it, and time never goes back', async () => {
    const seen = journaled();
    await callTool(guarded, seen);
    const ended = seen.of('ended').map(({ id }) => id);
    for (const { id, parent } of seen.of('started')) {
      expect(ended).toContain(id);
      if (parent !== undefined) expect(ended.indexOf(id)).toBeLessThan(ended.indexOf(parent));
    }
    const times = seen.entries.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.abs(times[0]! - Date.now())).toBeLessThan(60_000);
  });

  test('a cancelled call and its hooks end as cancelled', async () => {
    const seen = journaled();
    const abort = new AbortController();
    const inspect: InspectObserver = (event) => {
      seen.journal.observe(event);
      if (event.type === '@xstate.event' && event.event.type === 'process.started')
        abort.abort('enough');
    };
    await callTool(
      { BeforeTool: inParallel({ name: 'slow', command: 'sleep 30' }) },
      { signal: abort.signal, config: { inspect } },
    );
    expect(seen.of('ended').map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(seen.entryOf('ended', 'write_file')).not.toHaveProperty('reason');
    expect(seen.journal.running).toBe(0);
  });

  test('an event that is fired on its own belongs to its session', async () => {
    const seen = journaled();
    const session = await startSession(
      { SessionStart: inParallel('true') },
      { ...seen.config, sessionId: 'session-2' },
    );
    await session.fire('SessionStart', someFields.SessionStart);
    expect(seen.started('hookEvent')).toMatchObject([
      { session: 'session-2', name: 'SessionStart' },
    ]);
    expect(seen.started('hookEvent')[0]).not.toHaveProperty('parent');
  });

  test('a machine that breaks is reported as broken, and forgotten', async () => {
    const seen = journaled();
    const ports = {
      get hooksOnSelection() {
        throw new Error('no plan');
      },
    };
    const input = { id: '1', request: {}, ports } as never;
    const run = runMachine(modelCall, input, { inspect: seen.journal.observe });
    await expect(run).rejects.toThrow('no plan');
    expect(seen.of('ended')).toMatchObject([{ status: 'error' }]);
    expect(seen.journal.running).toBe(0);
  });
});

describe('the cost of the journal', () => {
  test('the journal keeps nothing of a run that has ended', async () => {
    let ended = 0;
    const journal = journalTo(({ kind }) => void (ended += kind === 'ended' ? 1 : 0));
    const ports = {
      rewrite: () => ({}),
      execute: () => Promise.resolve({}),
      failure: () => ({}),
    };
    for (let run = 0; run < 10_000; run++) {
      const input = { id: String(run), toolName: 'tool', toolInput: {}, ports };
      await runMachine(toolCall, input, { inspect: journal.observe });
      expect(journal.running).toBe(0);
    }
    expect(ended).toBe(10_000);
  });

  test('without an observer, nothing is computed that only an observer would receive', async () => {
    const { config } = await startSession({});
    let asked = 0;
    const counting = { ...config, getSessionId: () => String(asked++) };
    const request = { id: '1', name: 'tool', input: {} };
    await runToolCall(counting, request, () => Promise.resolve(written));
    expect(asked).toBe(0);
  });

  test('a denial takes effect even if the journal cannot be written', async () => {
    const journal = journalTo(() => {
      throw new Error('full');
    });
    const { outcome } = await callTool(guarded, { config: { inspect: journal.observe } });
    expect(outcome.status).toBe('blocked');
  });
});

const tool = () => Promise.resolve({ llmContent: 'RESULT', returnDisplay: 'RESULT' });

describe('payloads', () => {
  const talkative = {
    BeforeTool: inParallel({ name: 'hook', command: 'echo SPOKEN; echo COMPLAINED >&2' }),
  };
  const input = { ...someInput, content: 'ARGUMENT', password: 'hunter2' };

  test('payloads are not recorded by default', async () => {
    const seen = journaled();
    await callTool(talkative, { input, tool, config: { inspect: seen.journal.observe } });
    // The command of the hook contains what it will print.
    const text = JSON.stringify(seen.entries.filter(({ kind }) => kind !== 'started'));
    expect(text).not.toMatch(/SPOKEN|COMPLAINED|RESULT|ARGUMENT|hunter2/);
    expect(JSON.stringify(seen.of('started'))).not.toMatch(/RESULT|ARGUMENT|hunter2/);
    expect(text).not.toContain('payload');
  });

  test('payloads are recorded on request: arguments, stdin, streams and results, without secrets', async () => {
    const seen = journaled({ payloads: true });
    await callTool(talkative, { input, tool, config: { inspect: seen.journal.observe } });
    const secretless = { file_path: 'a.txt', content: 'ARGUMENT', password: '[redacted]' };
    expect(seen.started('toolCall')[0]?.payload).toEqual(secretless);
    expect(seen.started('hookEvent')[0]?.payload).toMatchObject({ tool_input: secretless });
    expect(seen.started('hookProcess')[0]?.payload).toMatchObject({ tool_input: secretless });
    expect(seen.entryOf('answered', 'hook').payload).toMatchObject({
      stdout: 'SPOKEN\n',
      stderr: 'COMPLAINED\n',
    });
    expect(seen.entryOf('ended', 'write_file').payload).toMatchObject({ llmContent: 'RESULT' });
    expect(JSON.stringify(seen.entries)).not.toContain('hunter2');
  });

  test('a hook of a sequence is recorded with its input as earlier hooks changed it', async () => {
    const seen = journaled({ payloads: true });
    await callTool({ BeforeTool: inSequence(rewrite('ls'), 'true') }, seen);
    expect(seen.started('hookProcess')[1]?.payload).toMatchObject({
      tool_input: { command: 'ls', file_path: 'a.txt' },
    });
  });

  test('what the settings redact is also hidden in reasons, commands, names and warnings', async () => {
    const seen = journaled({ payloads: true, redact: ['/sk-\\w+/'] });
    await callTool(
      {
        BeforeTool: inParallel('echo "found sk-1" >&2; exit 2', {
          name: 'sk-2',
          command: 'echo sk-3 >&2; exit 1',
        }),
      },
      { input: { text: 'sk-4' }, config: seen.config },
    );
    expect(JSON.stringify(seen.entries)).not.toContain('sk-');
    expect(seen.of('verdict')).toMatchObject([
      { reason: 'found [redacted]', by: 'echo "found [redacted]" >&2; exit 2' },
    ]);
  });
});
