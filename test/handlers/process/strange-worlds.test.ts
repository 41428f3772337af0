import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { bundledHost } from '../../../scripts/bundle-host.ts';
import { foldersUntilTheEnd, isAlive, numberIn } from './run-hook.ts';
import { waitUntil } from '../../support/until.ts';

/*
 * Hosts without a spare file descriptor, and systems whose /proc says less than usual, or describes other
 * systems.
 */

const host = await bundledHost(new URL('strange-host.ts', import.meta.url));
const makeFolder = foldersUntilTheEnd();

/** Whether the system lets us do this. */
function can(...[command = '', ...args]: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs a hook in a host that a shell line starts as `"$@"`; the hook writes the pid of what it leaves behind
 * to `left`.
 */
async function run(line: string, hook: string, descriptors = '0', deadline = '') {
  const cwd = makeFolder();
  const args = ['-c', line, 'sh', process.execPath, host, hook, descriptors, deadline];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)('sh', args, { cwd, env });
  const left = existsSync(join(cwd, 'left')) && isAlive(await numberIn(join(cwd, 'left')));
  return { outcome: JSON.parse(stdout) as unknown, left, cwd };
}

test.concurrent.each(['3', '6', '7', '8', '9', '10', '12'])(
  'with %s descriptors left while a hook runs, its denial counts, and the host survives',
  async (free) => {
    const { outcome } = await run(
      'ulimit -n 100; exec "$@"',
      'touch begun; sleep 0.2; exit 2',
      free,
    );
    expect(outcome).toMatchObject({ status: 'exited', exit: { exitCode: 2 } });
  },
);

describe.concurrent('without a spare file descriptor', () => {
  const scarce = 'ulimit -n 100; exec "$@"';

  test('a hook ends at its deadline even without a spare file descriptor', async () => {
    const hook = 'echo $$ > left; echo > begun; sleep 100; :';
    const { outcome, left } = await run(scarce, hook, '0', '300');
    expect(outcome).toMatchObject({ status: 'timedOut' });
    expect(left).toBe(false);
  });

  test.each([
    ['in its session', 'sleep 100 & echo $! > left;'],
    ['that ignores SIGTERM', `sh -c 'trap "" TERM; echo $$ > left; sleep 100; :' &`],
    ['in a session of its own', "setsid sh -c 'echo $$ > left; exec sleep 100' &"],
  ])(
    'without a spare file descriptor a denial counts, and a process left %s ends',
    async (_, start) => {
      const hook = `${start} while [ ! -s left ]; do sleep 0.01; done; touch begun; sleep 0.5; exit 2`;
      const { outcome, left } = await run(scarce, hook);
      expect(outcome).toMatchObject({ status: 'exited', exit: { exitCode: 2 } });
      expect(left).toBe(false);
    },
  );
});

test('a host that ends without a spare file descriptor prints nothing, and its folder is removed', async () => {
  const cwd = makeFolder();
  const hook = 'readlink /proc/$$/fd/1 > pipe; touch begun; sleep 0.2; exit 2';
  const args = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, host];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stderr } = await promisify(execFile)('sh', [...args, hook, '0', '', 'exit'], {
    cwd,
    env,
  });
  expect(stderr).toBe('');
  const scratch = dirname(readFileSync(join(cwd, 'pipe'), 'utf8').trim());
  await waitUntil(() => !existsSync(scratch));
});

describe.runIf(can('unshare', '-m', 'mount', '-t', 'tmpfs', '-o', 'size=4k', 'none', '/dev/shm'))(
  'a tiny memory file system',
  () => {
    test.concurrent.each(['size=4k', 'size=4k,nr_inodes=1', 'size=4k,nr_inodes=4'])(
      'with %s for what hooks read and write, a denial counts, and a process left behind ends',
      async (size) => {
        const line = `exec unshare -m sh -c 'mount -t tmpfs -o ${size} none /dev/shm && exec "$@"' sh "$@"`;
        const hook = 'sleep 100 & echo $! > left; touch begun; head -c 100000 /dev/zero; exit 2';
        const { outcome, left } = await run(line, hook, 'all');
        expect(outcome).toMatchObject({ status: 'exited', exit: { exitCode: 2 } });
        expect(left).toBe(false);
      },
    );
  },
);

const stray =
  "setsid sh -c 'echo $$ > left; exec sleep 100' >/dev/null 2>&1 & while [ ! -s left ]; do sleep 0.01; done; touch begun; exit 2";

// Runs in its own PID namespace: processes beside it would collide with the reused numbers.
test.runIf(
  can('unshare', '-pf', '--mount-proc', 'sh', '-c', 'echo 1 > /proc/sys/kernel/ns_last_pid'),
)(
  "a stranger that gets a hook's number as soon as the hook's session is gone stays alive",
  async () => {
    // Its stray is waited for until the grace period is over. A short sleep also reaps what is left of the
    // group, which has the number.
    const hook = `setsid sh -c 'trap "" TERM; echo $$ > left; sleep 100; :' & while [ ! -s left ]; do sleep 0.01; done; echo $$ > leader; echo > begun; sleep 100`;
    const line = `
      "$@" & host=$!
      while [ ! -s leader ]; do sleep 0.05; done; leader=$(cat leader)
      while [ -e /proc/$leader ]; do :; done
      for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        echo $((leader - 1)) > /proc/sys/kernel/ns_last_pid; setsid sleep 100 & stranger=$!
        [ $stranger -eq $leader ] && touch met && break; kill -9 $stranger; sleep 0.01
      done >/dev/null 2>&1
      wait $host; read -r _ _ state _ < /proc/$stranger/stat; [ "$state" = S ] && touch lives; exit 0`;
    const inside = `exec unshare -pf --mount-proc sh -c '${line}' sh "$@"`;
    const { outcome, cwd } = await run(inside, hook, 'all', '300');
    expect(outcome).toMatchObject({ status: 'timedOut' });
    expect(existsSync(join(cwd, 'met'))).toBe(true);
    expect(existsSync(join(cwd, 'lives'))).toBe(true);
  },
);

test.runIf(can('unshare', '-pf', 'sh', '-c', 'echo 1 > /proc/sys/kernel/ns_last_pid'))(
  'a killed host takes no other processes along if /proc describes another system',
  async () => {
    const cwd = makeFolder();
    // The numbers that /proc shows for the hook's processes are given to strangers.
    const line = `
      "$@" & host=$!
      while [ ! -e begun ]; do sleep 0.05; done; sleep 0.3
      strangers=
      for environ in $(grep -lsaF "HOOKMACHINE_HOOK=$host." /proc/[0-9]*/environ); do
        number=\${environ#/proc/}; number=\${number%/environ}
        echo $((number - 1)) > /proc/sys/kernel/ns_last_pid; sleep 100 & strangers="$strangers $!"
        [ $! -eq $number ] && touch met
      done
      kill -9 $host; sleep 1.5
      for stranger in $strangers; do kill -0 $stranger || touch killed; done`;
    const hook = 'setsid sleep 100 & touch begun; sleep 100';
    const args = ['-pf', 'sh', '-c', line, 'sh', process.execPath, host, hook, 'all'];
    const env = { ...process.env, NODE_OPTIONS: '' };
    await promisify(execFile)('unshare', args, { cwd, env }).catch(() => undefined);
    expect(existsSync(join(cwd, 'met'))).toBe(true);
    expect(existsSync(join(cwd, 'killed'))).toBe(false);
  },
);

describe.concurrent('a process in a session of its own ends', () => {
  test.runIf(can('unshare', '-m', 'true')).each([
    ['always the same number', '0.00 0.00 0.00 0/0 0'],
    ['numbers of another system', '0.10 0.20 0.30 1/900 4000000'],
    ['no number', ''],
  ])(
    'a process in a session of its own ends even if the system reports %s as the last one given',
    async (_, loadavg) => {
      const file = join(makeFolder(), 'loadavg');
      writeFileSync(file, `${loadavg}\n`);
      const line = `exec unshare -m sh -c 'mount --bind "${file}" /proc/loadavg && exec "$@"' sh "$@"`;
      const { outcome, left } = await run(line, stray, 'all');
      expect(outcome).toMatchObject({
        status: 'exited',
        exit: { exitCode: 2 },
        leftBackground: true,
      });
      expect(left).toBe(false);
    },
  );

  test.runIf(can('unshare', '-m', 'true'))(
    'a process in a session of its own ends even if the system always reports a number that is given soon',
    async () => {
      const file = join(makeFolder(), 'loadavg');
      // The hook gets a lower number, and what it leaves a higher one.
      const line = `exec unshare -m sh -c 'read -r a b c d last < /proc/loadavg; echo "$a $b $c $d $((last + 100))" > "${file}" && mount --bind "${file}" /proc/loadavg && exec "$@"' sh "$@"`;
      const hook = `for each in $(seq 150); do /bin/true; done; ${stray}`;
      const { outcome, left } = await run(line, hook, 'all');
      expect(outcome).toMatchObject({ status: 'exited', leftBackground: true });
      expect(left).toBe(false);
    },
  );

  test('a process in a session of its own ends even if it keeps becoming another program', async () => {
    const hook = `export P='exec $^X, "-e", $ENV{P}'; setsid perl -e 'open F, ">left"; print F "$$\\n"; close F; exec $^X, "-e", $ENV{P}' >/dev/null 2>&1 & while [ ! -s left ]; do sleep 0.01; done; touch begun; exit 2`;
    for (let round = 0; round < 4; round++)
      expect(await run('exec "$@"', hook, 'all')).toMatchObject({ left: false });
  });
});
