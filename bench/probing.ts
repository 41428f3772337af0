import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median } from './statistics.ts';
import type { Surroundings } from './surroundings.ts';

const runFile = promisify(execFile);

/** Runs a probe in this many processes; returns the median of each of its numbers. */
export async function probe(
  args: readonly string[],
  times: number,
  { cwd, env }: Surroundings,
): Promise<Readonly<Record<string, number>>> {
  const script = fileURLToPath(new URL('probe.js', import.meta.url));
  const found: Record<string, number>[] = [];
  for (let time = 0; time < times; time++) {
    const { stdout } = await runFile(
      process.execPath,
      ['--expose-gc', '--max-semi-space-size=64', script, ...args],
      { cwd, env },
    );
    found.push(JSON.parse(stdout) as Record<string, number>);
  }
  return Object.fromEntries(
    Object.keys(found[0] ?? {}).map((name) => [name, median(found.map((one) => one[name]!))]),
  );
}
