import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import type { Judged } from './junit.ts';
import type { Difference } from './judge.ts';
import { readTests, type HookTest } from './read-tests.ts';
import { messageOf } from '../../base/message-of.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { runHookTest, type TestOptions, type TestRun } from './run-hook-test.ts';
import { diffOfValues } from '../parts/value-diff.ts';

/** Runs test files in a project folder; their names are shown relative to `base`. */
export async function judgeTests(
  files: readonly string[],
  folder: string,
  options: TestOptions,
  base = folder,
): Promise<readonly Judged[]> {
  const read = await Promise.all(files.map(readTests));
  const unread = read.flatMap((one): Judged[] =>
    'problems' in one
      ? [
          {
            file: one.file,
            name: 'the file',
            durationMs: 0,
            lines: one.problems.map(formatProblem),
          },
        ]
      : [],
  );
  const tests = read.flatMap((one) => ('tests' in one ? one.tests : []));
  const judged = await sideBySide(tests, (one) => judge(one, folder, options, base));
  return [...unread, ...judged].map((one) => ({
    ...one,
    file: relative(base, one.file) || one.file,
  }));
}

async function judge(
  one: HookTest,
  folder: string,
  options: TestOptions,
  base: string,
): Promise<Judged> {
  const startedAt = performance.now();
  const lines = await runHookTest(one, folder, options).then(
    (runs) => runs.flatMap(failureLines),
    (error: unknown) => [`${relative(base, one.file)}:${one.line}: ${messageOf(error)}`],
  );
  return {
    file: one.file,
    line: one.line,
    name: one.name,
    durationMs: performance.now() - startedAt,
    lines,
  };
}

function failureLines({ under, differences, notes }: TestRun): string[] {
  if (differences.length === 0) return [];
  const lines = [...differences.flatMap(differenceLines), ...notes];
  return under === undefined
    ? lines
    : [`as a hook of ${under}:`, ...lines.map((line) => `  ${line}`)];
}

const differenceLines = ({ what, expected, actual }: Difference): string[] => [
  `${what}: - expected, + actual`,
  ...diffOfValues(expected, actual).map((line) => `  ${line}`),
];

/** The lines that are printed for a test. */
export const linesOf = ({ file, name, lines }: Judged): string[] => [
  `${lines.length === 0 ? '✓' : '✗'} ${file}: ${name}`,
  ...lines.map((line) => `    ${line}`),
];

/** Runs as many at once as the machine has processors; the results are in the order of the tests. */
async function sideBySide<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of rest) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
  return results;
}

/** Folders that hold nothing of the project's own. */
const foreign: ReadonlySet<string> = new Set(['node_modules', '.git']);

/** All test files in a folder, in the order of their paths. */
export function testFilesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return foreign.has(entry.name) ? [] : testFilesIn(path);
      return entry.name.endsWith('.hooktest.yaml') ? [path] : [];
    });
}
