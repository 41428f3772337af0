import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createActor, fromCallback, SimulatedClock, toPromise } from 'xstate';
import { bundledHost } from '../../../scripts/bundle-host.ts';
import { hookProcessMachine } from '../../../machines/hook-process.ts';
import { prestart } from '../../../src/handlers/process/ahead/waiting-hooks.ts';
import { runHookCommand } from '../../../src/handlers/process/index.ts';
import { statOf } from '../../../src/handlers/process/processes.ts';
import { filesBehind } from '../../../src/settings/trust/script-files.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { inputFor, isAlive, type Options } from './run-hook.ts';
import { waitUntil } from '../../support/until.ts';
import { findProgram } from '../../../src/base/programs.ts';

const machine = hookProcessMachine.provide({ actors: { process: fromCallback(runHookCommand) } });

/** A hook with `"prestart": true` in a folder of its own. */
function hookOf(command: string, options: Options = {}) {
  const input = inputFor(command, { cwd: tempFolder(), ...options });
  const { cwd, env } = input.command;
  const hook = { command, env, source: 'user' as const };
  return {
    ...input,
    command: {
      ...input.command,
      prestart: true as const,
      filesBehind: async () => filesBehind(hook, cwd),
    },
  };
}

type Hook = ReturnType<typeof hookOf>;

async function run(hook: Hook, stdin = '{}', clock?: SimulatedClock) {
  const command = { ...hook.command, stdin: () => stdin };
  const actor = createActor(machine, { input: { ...hook, command }, ...(clock && { clock }) });
  const outcome = toPromise(actor);
  actor.start();
  return outcome;
}

const seen = (file: string): Promise<unknown> =>
  waitUntil(() => existsSync(file) && readFileSync(file, 'utf8') !== '');

/** Writes to a file that it has started, which is as much as a test may do. */
const started = 'echo $$ >> started; ';
const startsOf = ({ command: { cwd } }: Hook): string[] =>
  readFileSync(join(cwd, 'started'), 'utf8').trim().split('\n');

afterEach(() => vi.unstubAllEnvs());

/** Starts a waiting process for this hook, and waits until it has begun. */
async function wait(hook: Hook): Promise<void> {
  expect(await prestart(hook.command)).toBe(true);
  await seen(join(hook.command.cwd, 'started'));
}

describe('a hook with "prestart"', () => {
  test('a hook with "prestart" is the process that waited, and gets the input of its event', async () => {
    const hook = hookOf(`${started}cat; echo " $$"; echo no >&2; exit 2`);
    await wait(hook);
    const [pid] = startsOf(hook);
    expect(await run(hook, '{"a":"ä"}')).toMatchObject({
      status: 'exited',
      leftBackground: false,
      exit: { exitCode: 2, stdout: `{"a":"ä"} ${pid}\n`, stderr: 'no\n' },
    });
  });

  test('a hook with "prestart" gets a long input whole', async () => {
    const hook = hookOf(`${started}wc -c; echo $$`);
    await wait(hook);
    const [pid] = startsOf(hook);
    const stdout = `5000000\n${pid}\n`;
    expect(await run(hook, 'x'.repeat(5_000_000))).toMatchObject({ exit: { stdout } });
  });

  test('a hook with "prestart" can open its input by name, even late', async () => {
    // Without a program that comes and goes: what cannot be looked at is started with its event instead.
    const hook = hookOf(`${started}until [ -e go ]; do :; done; cat /dev/stdin; echo " $$"`);
    await wait(hook);
    const [pid] = startsOf(hook);
    const outcome = run(hook, 'hello');
    setTimeout(() => writeFileSync(join(hook.command.cwd, 'go'), ''), 50);
    expect(await outcome).toMatchObject({ exit: { stdout: `hello ${pid}\n` } });
  });

  test('a hook with "prestart" need not read its input', async () => {
    const hook = hookOf(`${started}exec 3<&0; read -r x; echo ok`);
    await wait(hook);
    expect(await run(hook, `x\n${'y'.repeat(1_000_000)}`)).toMatchObject({
      exit: { exitCode: 0, stdout: 'ok\n' },
    });
  });

  test('a hook with "prestart" has its deadline counted from its event', async () => {
    const hook = { ...hookOf(`${started}cat`), timeout: 400 };
    await wait(hook);
    // While the process waits, its hook has no clock; on this one, no deadline is ever over.
    const clock = new SimulatedClock();
    const delays = vi.spyOn(clock, 'setTimeout');
    await new Promise((resolve) => void setTimeout(resolve, 100));
    const ended = run(hook, 'x', clock);
    expect(delays.mock.calls.map(([, delay]) => delay)).toContain(400);
    expect(await ended).toMatchObject({ status: 'exited', exit: { stdout: 'x' } });
    expect(startsOf(hook)).toHaveLength(1);
  });

  test('a hook with "prestart" that hangs is ended together with what it started before its event', async () => {
    const command = `${started}sleep 100 & echo $! > left; cat > /dev/null; sleep 100`;
    const hook = { ...hookOf(command), timeout: 300 };
    await wait(hook);
    await seen(join(hook.command.cwd, 'left'));
    // The next process, which may be started before this one's end is known, writes its own pid there.
    const left = Number(readFileSync(join(hook.command.cwd, 'left'), 'utf8'));
    expect(await run(hook)).toMatchObject({ status: 'timedOut' });
    // What has been killed remains until somebody reaps it.
    await expect.poll(() => isAlive(left)).toBe(false);
  });

  test.for(['python3', 'node'])(
    'a hook with "prestart" can be a %s script',
    async (program, { skip }) => {
      skip(findProgram(program) === undefined, `${program} is not installed`);
      const hook = hookOf(program === 'node' ? 'node hook.mjs' : 'python3 hook.py');
      writeFileSync(
        join(hook.command.cwd, program === 'node' ? 'hook.mjs' : 'hook.py'),
        program === 'node'
          ? `import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync('started', String(process.pid));
process.stdout.write(readFileSync('/dev/stdin', 'utf8'));`
          : `import os, sys
open('started', 'w').write(str(os.getpid()))
sys.stdout.write(sys.stdin.read())`,
      );
      // Old enough that the process is certainly newer.
      await new Promise((resolve) => void setTimeout(resolve, 100));
      await wait(hook);
      const [pid] = startsOf(hook);
      expect(await run(hook, 'hello')).toMatchObject({ exit: { exitCode: 0, stdout: 'hello' } });
      expect(startsOf(hook)).toEqual([pid]);
    },
  );

  test('a hook with "prestart" is started once for each that runs side by side, and each gets its own input', async () => {
    const hook = hookOf(`${started}cat`);
    for (let round = 0; round < 3; round++) await prestart(hook.command);
    await waitUntil(() => startsOf(hook).length === 3);
    const outcomes = await Promise.all(['1', '2', '3', '4'].map((text) => run(hook, text)));
    expect(outcomes).toMatchObject(
      ['1', '2', '3', '4'].map((stdout) => ({ exit: { exitCode: 0, stdout } })),
    );
    expect(startsOf(hook)).toHaveLength(4);
  });
});

/** A hook's script that prints this text. */
const script = (text: string) => `#!/bin/bash\n${started}input=$(cat)\necho ${text}\n`;

/**
 * What a process can find out about itself, except for its numbers and its stdin, which is a FIFO while it
 * waits.
 */
const facts = `${started}cat > /dev/null
set -- $(cut -d' ' -f1,4-8 /proc/$$/stat)
[ "$2" = "$PPID" ] && [ "$3" = $$ ] && [ "$4" = $$ ] && echo "leads its group and session, terminal $5 $6"
for fd in /proc/$$/fd/[1-9]*; do echo "\${fd##*/} $(stat -L -c %F $fd)"; done
while read -r line; do case $line in Sig[IC]* | Cap* | Umask* | Uid* | Gid* | Groups* | NoNew* | Cpus*) echo "$line" ;; esac; done < /proc/$$/status
cat /proc/$$/limits /proc/$$/oom_score_adj /proc/$$/cgroup
tr '\\0' '\\n' < /proc/$$/environ | grep -v HOOKMACHINE | sort
set -o; shopt; trap -p; umask; pwd; echo "$-|$0|$#|$SHLVL"`;

test('a process that waited finds the same about itself as one that is started with its event', async () => {
  const hook = hookOf(facts);
  await wait(hook);
  const [pid] = startsOf(hook);
  const waited = await run(hook);
  expect(startsOf(hook)).toEqual([pid]);
  vi.stubEnv('HOOKMACHINE_PLAIN_START', '1');
  const plain = await run(hook);
  const stdout = expect.stringContaining('leads its group');
  expect(waited).toMatchObject({ exit: { exitCode: 0, stderr: '', stdout } });
  const printedBy = (outcome: typeof plain) => 'exit' in outcome && outcome.exit?.stdout;
  expect(printedBy(waited)).toBe(printedBy(plain));
});

describe('a waiting process is not used, and ends, when something changed', () => {
  const changes: [string, (hook: Hook) => void, string?][] = [
    ['its script changed', ({ command: { cwd } }) => write(join(cwd, 'hook.sh'), script('new'))],
    [
      'its script was replaced by another of the same size and time',
      ({ command: { cwd } }) => {
        write(join(cwd, 'other.sh'), script('new'));
        utimesSync(join(cwd, 'other.sh'), 1, 1);
        renameSync(join(cwd, 'other.sh'), join(cwd, 'hook.sh'));
      },
    ],
    [
      'its folder was replaced',
      ({ command: { cwd } }) => {
        renameSync(cwd, `${cwd}.old`);
        onTestFinished(() => rmSync(`${cwd}.old`, { recursive: true }));
        mkdirSync(cwd);
        write(join(cwd, 'hook.sh'), script('new'));
      },
    ],
    ['the environment changed', () => vi.stubEnv('CHANGED_FOR_HOOKS', '1'), 'old'],
    [
      'something lowered its limits',
      (hook) => {
        for (const pid of startsOf(hook)) spawnSync('prlimit', ['--pid', pid, '--cpu=1']);
      },
      'old',
    ],
    [
      'something ended it',
      (hook) => {
        const pids = startsOf(hook).map(Number);
        for (const pid of pids) process.kill(pid, 'SIGKILL');
        // The host cannot know of it yet, since nothing here yields to its events.
        while (pids.some((pid) => /[SRD]/.test(statOf(pid)?.state ?? ''))) continue;
      },
      'old',
    ],
  ];

  test.for(changes)(
    'a waiting process is not used, and ends, when %s',
    async ([what, change, expected = 'new'], { skip }) => {
      skip(what.endsWith('limits') && !findProgram('prlimit'), 'prlimit is not installed');
      const hook = hookOf('bash ./hook.sh');
      const { cwd } = hook.command;
      write(join(cwd, 'hook.sh'), script('old'));
      utimesSync(join(cwd, 'hook.sh'), 1, 1);
      await wait(hook);
      const [pid] = startsOf(hook);
      change(hook);
      expect(await run(hook)).toMatchObject({ exit: { exitCode: 0, stdout: `${expected}\n` } });
      expect(startsOf(hook).at(-1)).not.toBe(pid);
      await waitUntil(() => !isAlive(Number(pid)));
    },
  );
});

function write(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o755 });
}

describe('a hook that does not wait for its input', () => {
  test.each([
    ['ends', 'echo x >> started'],
    ['writes', 'echo early; echo x >> started; cat > /dev/null'],
  ])(
    'a hook that %s before its input is reported, and runs once with each event from then on',
    async (_, command) => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
      const hook = hookOf(command);
      await prestart(hook.command);
      await seen(join(hook.command.cwd, 'started'));
      if (!command.includes('cat')) await waitUntil(() => warn.mock.calls.length > 0);
      for (let event = 1; event <= 3; event++) {
        expect(await run(hook)).toMatchObject({ exit: { exitCode: 0 } });
        await new Promise((resolve) => void setTimeout(resolve, 80));
        expect(startsOf(hook)).toHaveLength(1 + event);
      }
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/before it has read its input/)]]);
      warn.mockRestore();
    },
  );
});

test.each(['SIGKILL', 'SIGTERM', 'exit'] as const)(
  'a waiting process ends with its host: %s',
  async (end) => {
    const host = await bundledHost(new URL('prestart-host.ts', import.meta.url));
    const child = spawn(process.execPath, [host, end], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const pid = Number(printed.toString());
    expect(pid).toBeGreaterThan(0);
    if (end !== 'exit') child.kill(end);
    await once(child, 'exit');
    await waitUntil(() => !isAlive(pid));
  },
);
