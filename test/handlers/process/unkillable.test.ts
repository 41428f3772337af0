import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hookmachine } from '../../support/hookmachine.ts';
import { sandbox } from '../../support/sandbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { type Options, runHook } from './run-hook.ts';

/*
 * A process that belongs to another user, or that the kernel holds, cannot be created on every machine: here
 * the signals fail instead.
 */

const kill = process.kill.bind(process);

/** Makes our signals to hooks fail in this way; what is sent to this process itself arrives. */
function signalsThat(fail: () => true): void {
  vi.spyOn(process, 'kill').mockImplementation(fail);
}

const notPermitted = (): never => {
  throw Object.assign(new Error('kill EPERM'), { code: 'EPERM', syscall: 'kill' });
};

afterEach(() => vi.restoreAllMocks());

/** Ends what a test left, because nothing else does. */
function endLater(pids: readonly number[]): void {
  for (const pid of pids)
    onTestFinished(() => {
      try {
        kill(pid, 'SIGKILL');
      } catch {
        // It has already ended.
      }
    });
}

/** Runs a hook past its deadline, which is counted from when it has become the program it runs. */
function overrun(options: Options) {
  const cwd = tempFolder();
  const leader = join(cwd, 'leader');
  const deadlineFrom = () =>
    existsSync(leader) &&
    readFileSync(`/proc/${readFileSync(leader, 'utf8').trim()}/comm`, 'utf8') === 'sleep\n';
  const command = 'echo $$ > leader; exec sleep 100';
  return runHook(command, { cwd, timeout: 50, deadlineFrom, ...options });
}

describe('a hook that none of our signals end', () => {
  test('a hook that runs as another user is given up on at once, and named', async () => {
    signalsThat(notPermitted);
    // The grace period is longer than the test may take.
    const outcome = await overrun({ grace: 600_000 });
    expect(outcome).toMatchObject({
      status: 'timedOut',
      exit: {
        exitCode: null,
        survivors: [
          {
            pid: expect.any(Number),
            command: 'sleep 100',
            why: expect.stringContaining('it runs as another user'),
          },
        ],
      },
    });
    if (outcome.status === 'timedOut') endLater(outcome.exit!.survivors!.map(({ pid }) => pid));
  });

  test('a hook that SIGKILL does not end is given up on soon afterwards', async () => {
    signalsThat(() => true);
    const outcome = await overrun({ grace: 10 });
    expect(outcome).toMatchObject({
      status: 'timedOut',
      exit: { survivors: [{ command: 'sleep 100', why: 'SIGKILL has not ended it' }] },
    });
    if (outcome.status === 'timedOut') endLater(outcome.exit!.survivors!.map(({ pid }) => pid));
  });

  test('a hook keeps its denial if only what it left in the background cannot be ended', async () => {
    signalsThat(notPermitted);
    const outcome = await runHook('sleep 100 > /dev/null 2>&1 & echo no >&2; exit 2', {
      drain: 1,
      sweep: 600_000,
    });
    expect(outcome).toMatchObject({
      status: 'exited',
      leftBackground: true,
      exit: { exitCode: 2, stderr: 'no\n', survivors: [{ pid: expect.any(Number) }] },
    });
    if (outcome.status === 'exited') endLater(outcome.exit.survivors!.map(({ pid }) => pid));
  });
});

describe('a command whose hook cannot be ended', () => {
  const settings = {
    tools: { enableHooks: true },
    hooks: {
      BeforeTool: [
        {
          hooks: [
            {
              type: 'command',
              name: 'stuck',
              command: 'exec sleep 100',
              timeout: 300,
              onFailure: 'block',
            },
          ],
        },
      ],
    },
  };

  test.each([
    ['fire', ['fire', 'BeforeTool'], '{"tool_name":"write_file","tool_input":{}}'],
    ['tool', ['tool', 'list_directory', '--input', '{}'], ''],
  ])(
    'the command %s ends with its verdict although its hook cannot be ended, and names the process',
    async (_, args, input) => {
      const { project, env, files, write } = sandbox();
      write(files.project, settings);
      const fake = join(project, 'fake.mjs');
      writeFileSync(
        fake,
        `process.kill = () => { throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' }); };`,
      );
      const { exitCode, stdout, stderr } = await hookmachine(
        { project, env: { ...env, NODE_OPTIONS: `--import=${encodeURI(`file://${fake}`)}` } },
        args,
        input,
      );
      const [, pid] =
        /process (\d+) \((?:.* )?sleep 100\) could not be ended and is still running/.exec(
          stderr,
        ) ?? [];
      endLater(pid === undefined ? [] : [Number(pid)]);
      expect(pid).toBeDefined();
      expect(exitCode).toBe(2);
      expect(stdout).toContain('Hook timed out after 300ms');
      if (args[0] === 'fire')
        expect(JSON.parse(stdout)).toMatchObject({
          blocked: true,
          hooks: [{ timedOut: true, survivors: [{ pid: Number(pid) }] }],
        });
    },
  );
});
