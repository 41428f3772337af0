import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { createConfig, type CreateConfigOptions } from '../../../src/hosts/system/create-config.ts';
import { hookEventNames } from '../../../src/core/protocol/events.ts';
import { sandbox } from '../../support/sandbox.ts';
import {
  group,
  inParallel,
  inSequence,
  print,
  someFields,
  startSession,
  type HookCommand,
} from '../../support/session.ts';
import { waitUntil } from '../../support/until.ts';

/** A command whose failure must block. */
const closed = (command: string, more: object = {}): HookCommand & object => ({
  command,
  name: 'guard',
  timeout: 5000,
  onFailure: 'block',
  ...more,
});

const failures: [string, string, RegExp, number?][] = [
  ['a crash', 'echo boom >&2; exit 1', /exited with code 1: boom$/],
  ['another exit code', 'exit 3', /exited with code 3$/],
  ['a signal', 'kill -KILL $$', /killed by SIGKILL$/],
  ['a timeout', 'sleep 30', /timed out after 200ms$/, 200],
  ['a script that is missing', './gone.sh', /127 .*gone\.sh/],
  ['a script that is not executable', 'touch it; ./it', /126 /],
  ['half an answer', `printf '{"decision":"al'`, /not one JSON object$/],
  ['an answer after a log line', `echo checking; ${print({ decision: 'deny' })}`, /not one JSON/],
  ['an answer that is given twice', `echo '{}'; echo '{}'`, /not one JSON object$/],
  ['an answer that is a list', 'echo [1]', /not one JSON object$/],
  ['an answer that is a number', 'echo 42', /not one JSON object$/],
  ['an answer that is a string in JSON', `echo '"allow"'`, /not one JSON object$/],
  ['an answer that is too long', `head -c 11000000 /dev/zero | tr '\\0' a`, /over 10 MiB/],
  ['a decision that does not exist', print({ decision: 'denied' }), /"decision" cannot be/],
  ['a stop that is a string', print({ continue: 'false' }), /"continue" cannot be/],
  [
    'a permission that does not exist',
    print({ hookSpecificOutput: { permissionDecision: 'no' } }),
    /"permissionDecision" cannot be/,
  ],
  [
    'arguments that are not an object',
    print({ hookSpecificOutput: { tool_input: 'rm' } }),
    /"tool_input"/,
  ],
  ['a field that is not an object', print({ hookSpecificOutput: 'x' }), /"hookSpecificOutput"/],
];

describe.each<['parallel' | 'sequential', typeof inParallel]>([
  ['parallel', inParallel],
  ['sequential', inSequence],
])('onFailure "block", %s', (_, inMode) => {
  test.concurrent.each(failures)(
    'a hook with onFailure "block" denies after %s, with a reason that names the hook and the failure',
    async (_name, command, why, timeout = 10_000) => {
      const session = await startSession({ BeforeTool: inMode(closed(command, { timeout })) });
      const result = await session.fire('BeforeTool', someFields.BeforeTool);
      expect(result.finalOutput?.isBlockingDecision()).toBe(true);
      const reason = result.finalOutput!.getBlockReason();
      expect(reason).toMatch(/^Blocked because the hook "guard" failed: /);
      expect(reason.trim()).toMatch(why);
      expect(result).toMatchObject({ success: false, setBy: { decision: 'guard' } });
      expect(session.warnings).toContainEqual(
        expect.stringContaining('hook "guard" (BeforeTool) failed and blocks, as its settings say'),
      );
    },
  );
});

describe('without onFailure "block"', () => {
  test.concurrent.each(failures)(
    'a hook without onFailure "block" does not deny after %s, and is reported (seed 000 §7.2)',
    async (_name, command, _why, timeout = 10_000) => {
      const session = await startSession({
        BeforeTool: inParallel(closed(command, { timeout, onFailure: 'allow' })),
      });
      const result = await session.fire('BeforeTool', someFields.BeforeTool);
      expect(result.finalOutput?.isBlockingDecision() ?? false).toBe(false);
      // A string in JSON is a message, like any other text.
      if (!/number|list|in JSON/.test(_name)) expect(session.warnings).not.toEqual([]);
    },
  );
});

describe('what is not a failure', () => {
  test.each([
    ['silence', 'true'],
    ['plain text', 'echo "[ok] all is well"'],
    ['null', 'echo null'],
    ['an allow', print({ decision: 'allow' })],
    ['an answer in JSON twice over', print(JSON.stringify({ decision: 'allow' }))],
    ['an answer with a process left behind', `sleep 50 & ${print({ decision: 'allow' })}`],
  ])('a hook with onFailure "block" does not deny after %s', async (_, command) => {
    const session = await startSession({ BeforeTool: inParallel(closed(command)) });
    const { finalOutput, success } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect([finalOutput?.isBlockingDecision() ?? false, success]).toEqual([false, true]);
  });

  test('a cancelled hook does not deny', async () => {
    const session = await startSession({ BeforeTool: inParallel(closed('touch on; sleep 30')) });
    const caller = new AbortController();
    const ended = session.fire('BeforeTool', someFields.BeforeTool, { signal: caller.signal });
    await waitUntil(() => existsSync(join(session.folder, 'on')));
    caller.abort();
    expect((await ended).finalOutput).toBeUndefined();
  });

  test("a denial keeps the hook's own reason", async () => {
    const session = await startSession({ BeforeTool: inParallel(closed('echo mine >&2; exit 2')) });
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.getBlockReason()).toBe('mine');
  });

  test('a stop holds beside a decision that cannot be understood', async () => {
    const session = await startSession({
      BeforeTool: inParallel(closed(print({ continue: false, stopReason: 'on', decision: 'no' }))),
    });
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    expect([finalOutput?.shouldStopExecution(), finalOutput?.getStopReason()]).toEqual([
      true,
      'on',
    ]);
  });
});

/** The events at which a denial does nothing, which the user is warned of (C-63). */
const cannotBeBlocked: readonly string[] = [
  'AfterModel',
  'BeforeToolSelection',
  'SessionStart',
  'SessionEnd',
  'Notification',
];

describe('a denial by failure is a denial like any other', () => {
  test('nothing undoes a denial by failure, wherever its hook is in the plan', async () => {
    const allow = print({ decision: 'allow', reason: 'fine' });
    for (const place of [0, 1, 2]) {
      const session = await startSession({
        BeforeTool: inParallel(
          ...['true', `: ; ${allow}`, allow]
            .with(place, '')
            .map((command) => (command === '' ? closed('exit 1') : command)),
        ),
      });
      const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
      expect(finalOutput?.isBlockingDecision()).toBe(true);
      expect(finalOutput?.getBlockReason()).toContain('the hook "guard" failed');
    }
  });

  test('a denial by failure ends a sequence', async () => {
    const session = await startSession({
      BeforeTool: inSequence(closed('exit 1'), 'touch never'),
    });
    const { results } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(results.map(({ hook }) => hook.name)).toEqual(['guard']);
    expect(existsSync(join(session.folder, 'never'))).toBe(false);
  });

  test('the tool does not run after a denial by failure, and the model reads why', async () => {
    const { config } = await startSession({ BeforeTool: inParallel(closed('exit 1')) });
    const tool = vi.fn(() => Promise.resolve({ llmContent: 'done', returnDisplay: 'done' }));
    const result = await executeToolWithHooks(config, 'write_file', {}, tool);
    expect(tool).not.toHaveBeenCalled();
    expect(result.llmContent).toContain('the hook "guard" failed: Hook exited with code 1');
  });

  test.each(hookEventNames)(
    'a hook with onFailure "block" that fails at %s denies',
    async (event) => {
      const session = await startSession({ [event]: inParallel(closed('exit 1')) });
      const { finalOutput } = await session.fire(event, someFields[event]);
      expect(finalOutput?.isBlockingDecision()).toBe(true);
      expect(session.warnings.join('\n').includes('has no effect')).toBe(
        cannotBeBlocked.includes(event),
      );
    },
  );

  test('the strictest of duplicate hooks decides', async () => {
    const session = await startSession({
      BeforeTool: [group([{ command: 'exit 1', name: 'loose' }]), group([closed('exit 1')])],
    });
    const { finalOutput, results } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(results).toHaveLength(1);
    expect(finalOutput?.isBlockingDecision()).toBe(true);
  });

  test('a denial by failure truncates a long hook name and long output', async () => {
    const command = `head -c 9000 /dev/zero | tr '\\0' x >&2; exit 1 #${'y'.repeat(500)}`;
    const session = await startSession({
      BeforeTool: inParallel({ ...closed(command), name: command }),
    });
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput!.getBlockReason().length).toBeLessThan(2_300);
  });
});

describe('hooks that cannot receive any input deny', () => {
  test('a hook whose input has no JSON form denies', async () => {
    const session = await startSession({ BeforeTool: inParallel(closed('true'), 'touch never') });
    const { finalOutput } = await session.fire('BeforeTool', {
      tool_name: 'x',
      tool_input: { big: 1n },
    });
    expect(finalOutput?.getBlockReason()).toContain('BigInt');
    expect(existsSync(join(session.folder, 'never'))).toBe(false);
  });

  test('a hook whose host is broken denies, also in a tool call', async () => {
    const { config } = await startSession({ BeforeTool: inParallel(closed('true')) });
    config.getSessionId = () => expect.fail('no session');
    const tool = vi.fn(() => Promise.resolve({ llmContent: 'done', returnDisplay: 'done' }));
    const result = await executeToolWithHooks(config, 'write_file', {}, tool);
    expect(tool).not.toHaveBeenCalled();
    expect(result.llmContent).toContain('no session');
  });

  test('a hook whose folder is gone denies', async () => {
    const session = await startSession({ BeforeTool: inParallel(closed('true')) });
    session.config.getWorkingDir = () => join(session.folder, 'gone');
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.getBlockReason()).toContain('is not a folder to run in');
  });

  test('a plugin hook with onFailure "block" denies', async () => {
    const session = await startSession({
      BeforeTool: [{ hooks: [{ type: 'plugin', name: 'p', onFailure: 'block' }] }],
    });
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.getBlockReason()).toContain('"p" failed: plugin hooks cannot run');
  });
});

const settings = (sequential: boolean, more: object) => ({
  enableHooks: true,
  hooks: {
    BeforeTool: [{ sequential, hooks: [{ type: 'command', command: 'touch ran', ...more }] }],
  },
});

describe('a hook that is not trusted', () => {
  const untrusted: Partial<CreateConfigOptions> = { isTrustedFolder: () => false };

  test('an untrusted hook with onFailure "block" denies, and is not run', async () => {
    const session = await startSession(
      { BeforeTool: inParallel(closed('touch ran'), 'touch other') },
      untrusted,
    );
    expect(session.config.getHookSystem()!.hasHooksFor('BeforeTool', 'write_file')).toBe(true);
    const result = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(result.finalOutput?.getBlockReason()).toBe(
      'Blocked because the hook "guard" failed: it is not trusted',
    );
    expect(result).toMatchObject({
      plan: { mode: 'parallel', count: 1 },
      results: [{ status: 'untrusted', decision: 'deny' }],
      setBy: { decision: 'guard' },
    });
    for (const file of ['ran', 'other']) expect(existsSync(join(session.folder, file))).toBe(false);
    expect(session.warnings).toContain(
      'hook "guard" (BeforeTool) may not run, so it blocks: this folder is not trusted; trust it to have its hooks run',
    );
  });

  test('an untrusted hook does not deny tools that it does not match', async () => {
    const session = await startSession(
      { BeforeTool: [group([closed('true')], { matcher: 'replace' })] },
      untrusted,
    );
    expect((await session.fire('BeforeTool', someFields.BeforeTool)).plan).toBeNull();
  });

  test('a hook denies when trust was lost after the plan was made', async () => {
    let asked = 0;
    const session = await startSession(
      { BeforeTool: inParallel(closed('touch ran')) },
      { isTrustedFolder: () => asked++ === 0 },
    );
    const { finalOutput } = await session.fire('BeforeTool', someFields.BeforeTool);
    expect(finalOutput?.getBlockReason()).toContain('not trusted');
    expect(existsSync(join(session.folder, 'ran'))).toBe(false);
  });

  test("an untrusted hook in a project's file is ignored, and does not keep the user's hooks from running (S-17)", async () => {
    const box = sandbox();
    box.write(box.files.project, settings(true, { onFailure: 'block', name: 'theirs' }));
    box.write(box.files.user, settings(false, { name: 'mine' }));
    const config = createConfig({
      cwd: box.project,
      onWarning: () => undefined,
      isTrustedFolder: () => false,
    });
    const system = config.getHookSystem()!;
    await system.initialize();
    const result = await system.getEventHandler().fire('BeforeTool', someFields.BeforeTool);
    expect(result.results.map(({ hook, status }) => [hook.name, status])).toEqual([['mine', 'ok']]);
    expect(result.finalOutput?.isBlockingDecision() ?? false).toBe(false);
    expect(result.plan).toEqual({ mode: 'parallel', count: 1 });
    expect(existsSync(join(box.project, 'ran'))).toBe(true);
  });
});
