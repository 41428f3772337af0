import { expect, test } from 'vitest';
import { runHook, runToExit } from './run-hook.ts';

test('a hundred hooks at once keep their answers apart', async () => {
  const hooks = Array.from({ length: 100 }, (_, index) =>
    runToExit(`cat; echo "reason ${index}" >&2; exit ${index}`, { stdin: `input ${index}` }),
  );
  for (const [index, exit] of (await Promise.all(hooks)).entries())
    expect(exit).toMatchObject({
      exitCode: index,
      stdout: `input ${index}`,
      stderr: `reason ${index}\n`,
      leftBackground: false,
    });
});

test('a hundred concurrent hooks that all leave something behind are waited for side by side', async () => {
  // One after the other, they would take longer than a test may.
  const hooks = Array.from({ length: 100 }, () =>
    runHook('sleep 100 >/dev/null 2>&1 & exit 2', { drain: 700 }),
  );
  for (const outcome of await Promise.all(hooks))
    expect(outcome).toMatchObject({ status: 'exited', leftBackground: true });
});

test('hooks with much output can run side by side', async () => {
  const hooks = Array.from({ length: 4 }, () =>
    runToExit("head -c 5000000 /dev/zero | tr '\\0' a | tee /dev/stderr"),
  );
  for (const { stdout, stderr, truncated } of await Promise.all(hooks))
    expect([stdout.length, stderr.length, truncated]).toEqual([5_000_000, 5_000_000, []]);
});
