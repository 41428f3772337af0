import { describe, expect, test } from 'vitest';
import { runHook, runToExit } from './run-hook.ts';

const limit = 10 * 1024 * 1024;

/** Writes that many bytes to stdout. */
const flood = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' a`;

describe('the output of a hook', () => {
  test('the output of a hook comes from two streams, which are kept apart', async () => {
    expect(await runToExit('echo out; echo err >&2')).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: [],
    });
  });

  test('the output of a hook is what was written, unchanged', async () => {
    const { stdout } = await runToExit(String.raw`printf ' \n\t{"a":1}\r\n\n\n'`);
    expect(stdout).toBe(' \n\t{"a":1}\r\n\n\n');
  });

  test.each([
    ['stdout', 'echo x > /dev/stdout'],
    ['stderr', 'echo x > /dev/stderr'],
    ['stderr, to append', 'echo x >> /dev/stderr'],
    ['stderr, by tee', 'echo x | tee /dev/stderr > /dev/null'],
    ['stderr, under set -e', 'set -e; echo x > /dev/stderr'],
    ['stdout, by its descriptor', 'echo x > /proc/self/fd/1'],
    ['stderr, by dd', 'echo x | dd of=/dev/stderr status=none'],
    ['stderr, by awk', `awk 'BEGIN { print "x" > "/dev/stderr" }'`],
    ['stderr, by Node', `node -e "fs.writeFileSync('/dev/stderr', 'x\\n')"`],
    ['stderr, by Python', `python3 -c "open('/dev/stderr', 'w').write('x\\n')"`],
  ])('a hook can open its output by name: %s', async (where, command) => {
    const name = where.startsWith('stdout') ? 'stdout' : 'stderr';
    expect(await runToExit(`${command}; exit 2`)).toMatchObject({ exitCode: 2, [name]: 'x\n' });
  });

  test('the output of a hook can go to both streams by tee', async () => {
    expect(await runToExit('echo x | tee /dev/stderr')).toMatchObject({
      stdout: 'x\n',
      stderr: 'x\n',
    });
  });

  test('the output of a hook keeps its order when it is opened by name more than once', async () => {
    const command = 'for n in 1 2 3; do echo $n; echo $n > /dev/stdout; done';
    expect((await runToExit(command)).stdout).toBe('1\n1\n2\n2\n3\n3\n');
  });

  test('the output of a hook that closes its streams early is kept', async () => {
    const command = 'echo no >&2; echo "{}"; exec >&- 2>&-; sleep 0.3; exit 2';
    expect(await runToExit(command)).toMatchObject({ exitCode: 2, stdout: '{}\n', stderr: 'no\n' });
  });

  test('output in portions over a long time keeps its order, and so does more than a pipe can hold', async () => {
    const command =
      'for n in 0 1 2; do for out in 1 2; do seq $((n * 20000 + 1)) $(((n + 1) * 20000)) >&$out; done; sleep 0.1; done';
    const all = Array.from({ length: 60_000 }, (_, index) => `${index + 1}\n`).join('');
    const { stdout, stderr } = await runToExit(command);
    expect([stdout === all, stderr === all]).toEqual([true, true]);
  });

  test('the output of processes that the hook waits for is kept', async () => {
    const command = '(sleep 0.1; echo late) & wait; exec 3>&1; (echo sub >&3)';
    expect((await runToExit(command)).stdout).toBe('late\nsub\n');
  });

  test('the output of a process substitution that ends soon after the hook is kept', async () => {
    const { stdout, leftBackground } = await runToExit('echo x > >(sleep 0.02; cat)', {
      drain: 10_000,
    });
    expect({ stdout, leftBackground }).toEqual({ stdout: 'x\n', leftBackground: false });
  });
});

describe('characters', () => {
  test('characters split over several writes are whole (C-36)', async () => {
    const command = String.raw`for byte in '\360' '\237' '\231' '\202'; do printf "$byte"; sleep 0.02; done`;
    expect((await runToExit(command)).stdout).toBe('🙂');
  });

  test('characters split over chunks of a large output are whole (C-36)', async () => {
    const command = `node -e "process.stdout.write('x' + '日本語🙂'.repeat(200000))"`;
    expect((await runToExit(command)).stdout).toBe(`x${'日本語🙂'.repeat(200_000)}`);
  });

  test('half a character at the end becomes one replacement character', async () => {
    expect((await runToExit(String.raw`printf 'ok\303'`)).stdout).toBe('ok\ufffd');
  });

  test('output that is not UTF-8 does no harm', async () => {
    expect((await runToExit(String.raw`printf '\377\376{}'`)).stdout).toBe('\ufffd\ufffd{}');
  });

  test('NUL and control characters arrive unchanged', async () => {
    expect((await runToExit(String.raw`printf 'a\000b\033[0m'`)).stdout).toBe('a\0b\u001b[0m');
  });
});

describe('too much output (G-01)', () => {
  test('output of exactly the limit is kept whole', async () => {
    const { stdout, truncated } = await runToExit(flood(limit));
    expect({ length: stdout.length, truncated }).toEqual({ length: limit, truncated: [] });
  });

  test('one byte beyond the limit is left out, and that is reported', async () => {
    const { stdout, truncated } = await runToExit(flood(limit + 1));
    expect({ length: stdout.length, truncated }).toEqual({ length: limit, truncated: ['stdout'] });
  });

  test.each([
    ['stdout', '', ['stdout']],
    ['stderr', '>&2', ['stderr']],
    ['both', '| tee /dev/stderr', ['stdout', 'stderr']],
  ])('50 MB on %s neither block the hook nor are kept', async (_, redirection, truncated) => {
    const exit = await runToExit(`${flood(50_000_000)} ${redirection}; exit 2`);
    expect(exit).toMatchObject({ exitCode: 2, truncated, leftBackground: false });
    for (const name of ['stdout', 'stderr'] as const)
      expect(exit[name].length).toBe(truncated.includes(name) ? limit : 0);
  });

  test('a character that crosses the limit is left out whole', async () => {
    const { stdout } = await runToExit(`printf x; node -e "process.stdout.write('é'.repeat(6e6))"`);
    expect(stdout.endsWith('é')).toBe(true);
    expect(Buffer.byteLength(stdout)).toBe(limit - 1);
  });

  test('an endless flood ends at the deadline, and takes no memory', async () => {
    const before = process.memoryUsage().rss;
    const outcome = await runHook('yes', { timeout: 3_000 });
    expect(outcome).toMatchObject({ status: 'timedOut', exit: { truncated: ['stdout'] } });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });
});
