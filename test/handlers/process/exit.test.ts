import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toPromise } from 'xstate';
import { tempFolder } from '../../support/temp-folder.ts';
import { blockUntil, hookActor, isAlive, runHook, runToExit } from './run-hook.ts';

const ignored = () => undefined;

/** Starts a hook; returns its outcome, and the states that it passed through. */
function follow(actor: ReturnType<typeof hookActor>) {
  const seen: string[] = [];
  actor.subscribe(({ value }) => {
    const state = typeof value === 'string' ? value : `alive.${value.alive}`;
    if (state !== seen.at(-1)) seen.push(state);
  });
  const outcome = toPromise(actor);
  actor.start();
  return { outcome, seen };
}

const hasEnded = (pid: string): boolean => pid !== '' && !isAlive(Number(pid));

describe('how a hook ends', () => {
  test.each([0, 1, 2, 3, 126, 255])('a hook can end with exit code %i', async (code) => {
    expect(await runToExit(`exit ${code}`)).toMatchObject({ exitCode: code, signal: null });
  });

  test('the exit code of a hook is that of its last command', async () => {
    expect(await runToExit('true; (exit 7)')).toMatchObject({ exitCode: 7 });
  });

  test.each(['SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGHUP', 'SIGPIPE'])(
    'a signal from elsewhere, %s, is not an exit code (HOOK-196, C-28)',
    async (signal) => {
      expect(await runToExit(`kill -${signal.slice(3)} $$`)).toMatchObject({
        exitCode: null,
        signal,
        leftBackground: false,
      });
    },
  );

  test('a signal to a child is reported as the shell reports it (C-28)', async () => {
    expect(await runToExit("sh -c 'kill -TERM $$'; exit $?")).toMatchObject({ exitCode: 143 });
  });

  test('signals reach the hook as they would reach any program, whatever the host ignores', async () => {
    process.on('SIGINT', ignored);
    expect(await runToExit('kill -INT $$; sleep 5')).toMatchObject({ signal: 'SIGINT' });
    process.off('SIGINT', ignored);
    expect(await runToExit('yes | head -1; exit ${PIPESTATUS[0]}')).toMatchObject({
      exitCode: 141,
      stdout: 'y\n',
    });
  });

  test('the duration is that of the hook, not of what it leaves behind', async () => {
    const startedAt = performance.now();
    const { durationMs, leftBackground } = await runToExit("(trap '' TERM; sleep 60) & exit 0", {
      drain: 300,
    });
    const took = performance.now() - startedAt;
    expect(leftBackground).toBe(true);
    expect(durationMs).toBeGreaterThan(0);
    expect(durationMs).toBeLessThan(took - 200);
  });
});

describe('what cannot run', () => {
  test('a command that does not exist exits with 127 (C-29)', async () => {
    const exit = await runToExit('no-such-command-anywhere --flag');
    expect(exit).toMatchObject({ exitCode: 127, stdout: '' });
    expect(exit.stderr).toMatch(/not found/);
  });

  test('a script that does not exist exits with 127', async () => {
    expect(await runToExit('.llxprt/hooks/missing.sh')).toMatchObject({ exitCode: 127 });
  });

  test('a script that is not executable exits with 126 (C-29)', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'hook.sh'), '#!/bin/sh\necho ran\n', { mode: 0o644 });
    const exit = await runToExit('./hook.sh', { cwd });
    expect(exit).toMatchObject({ exitCode: 126, stdout: '' });
    expect(exit.stderr).toMatch(/denied/i);
  });

  test('a folder as a command exits with 126', async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, 'hook.sh'));
    expect(await runToExit('./hook.sh', { cwd })).toMatchObject({ exitCode: 126 });
  });

  test('a script whose interpreter is missing exits with 126 or 127', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'hook.sh'), '#!/proc/no-interpreter\n', { mode: 0o755 });
    const { exitCode } = await runToExit('./hook.sh', { cwd });
    expect([126, 127]).toContain(exitCode);
  });

  test('a syntax error exits with 2, as the shell does (C-31b, R-1)', async () => {
    const exit = await runToExit('if true; then');
    expect(exit).toMatchObject({ exitCode: 2, stdout: '' });
    expect(exit.stderr).toMatch(/syntax error/i);
  });

  test('a missing working folder fails the hook and is named', async () => {
    const cwd = join(tempFolder(), 'gone');
    const outcome = await runHook('echo ran', { cwd });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining(cwd), cause: { code: 'ENOENT' } },
    });
  });

  test('a file in place of the working folder fails the hook and is named', async () => {
    const cwd = join(tempFolder(), 'file');
    writeFileSync(cwd, '');
    const outcome = await runHook('echo ran', { cwd });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining(cwd) },
    });
  });

  test('a folder name that is too long for the system fails the hook', async () => {
    const outcome = await runHook('echo ran', { cwd: `/${'x'.repeat(5000)}` });
    expect(outcome.status).toBe('failed');
  });

  test('a command that is too long for the system fails the hook (E2BIG)', async () => {
    const outcome = await runHook(`: ${'x'.repeat(3_000_000)}`);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'E2BIG' } });
  });

  test('an environment that is too large for the system fails the hook', async () => {
    const outcome = await runHook('echo ran', { env: { HUGE: 'x'.repeat(3_000_000) } });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'E2BIG' } });
  });

  test.each(['echo a\0b', '\0'])('a command with a NUL fails the hook: %j', async (command) => {
    const outcome = await runHook(command);
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'ERR_INVALID_ARG_VALUE' } });
  });

  test('a folder with a NUL fails the hook', async () => {
    expect(await runHook('echo ran', { cwd: '/tmp/a\0b' })).toMatchObject({ status: 'failed' });
  });

  test('an input that cannot be serialised fails the hook (G-06)', async () => {
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    const outcome = await runHook('echo ran', { stdin: () => JSON.stringify(cycle) });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { name: 'TypeError', message: expect.stringContaining('circular') },
    });
  });

  test('an input function that throws a non-error fails the hook', async () => {
    const outcome = await runHook('echo ran', {
      stdin: () => {
        // eslint-disable-next-line no-throw-literal
        throw 'just a text';
      },
    });
    expect(outcome).toEqual({ status: 'failed', error: new Error('just a text') });
  });

  test('an empty command does nothing', async () => {
    expect(await runToExit('')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });
});

describe('an exit ends the hook unless something is left', () => {
  test('a hook that leaves nothing ends with its exit', async () => {
    const cwd = tempFolder();
    const file = join(cwd, 'pid');
    const { outcome, seen } = follow(hookActor('echo $$ > pid; echo x', { cwd }));
    // If a hook has written everything, it is read to the end before its exit is known.
    blockUntil(() => existsSync(file) && hasEnded(readFileSync(file, 'utf8')));
    await outcome;
    expect(seen).toEqual(['alive.starting', 'alive.running', 'exited']);
  });

  test('a hook that leaves a child is drained before it ends', async () => {
    const cwd = tempFolder();
    const command = 'until [ -e go ]; do sleep 0.01; done & echo x';
    const actor = hookActor(command, { cwd, drain: 10_000 });
    actor.subscribe((snapshot) => {
      if (snapshot.matches({ alive: 'draining' })) writeFileSync(join(cwd, 'go'), '');
    });
    const { outcome, seen } = follow(actor);
    await outcome;
    expect(seen).toEqual(['alive.starting', 'alive.running', 'alive.draining', 'exited']);
  });
});
