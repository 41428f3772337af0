import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { junitOf, type Judged } from '../hooktests/junit.ts';
import type { Difference } from '../hooktests/judge.ts';
import { readTests, type HookTest } from '../hooktests/read-tests.ts';
import { messageOf } from '../message-of.ts';
import { formatProblem } from '../settings/problem.ts';
import { CommandFailure } from './failure.ts';
import { projectFolder } from './project-folder.ts';
import { runHookTest, type TestRun } from './run-hook-test.ts';
import { say } from './shown-change.ts';
import { trustOption } from './trust-option.ts';
import { diffOfValues } from './value-diff.ts';

interface Options {
  readonly cwd: string;
  readonly junit?: string;
  readonly watch?: true;
  readonly trust?: true;
}

/** `hookmachine test`: tests of hooks, as data beside the hooks. */
export function addTest(program: Command): void {
  program
    .command('test')
    .argument(
      '[files...]',
      'files or folders of tests (default: every *.hooktest.yaml of the project)',
    )
    .description('run tests of hooks, and show how what came differs from what they expect')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--junit <file>', 'write the results as JUnit XML too')
    .option('--watch', 'run them again when a file of the project changes')
    .option(...trustOption)
    .addHelpText(
      'after',
      `
Hooks really run, in the project folder, side by side; no tool and no model does.
Exit status: 0 all passed, 1 one did not, or a file of tests is not as it should be.

Example of a file guard.hooktest.yaml:
  tests:
    - name: keeps secrets out of .env
      event: BeforeTool
      input: { tool_name: write_file, tool_input: { file_path: .env, content: KEY=1 } }
      expect: { decision: deny, reason: Secrets }`,
    )
    .action(test);
}

async function test(files: readonly string[], options: Options): Promise<void> {
  const folder = projectFolder(options.cwd);
  await testOnce(files, folder, options);
  if (!options.watch) return;
  const { watchProject } = await import('./watch-project.ts');
  say('\nWaiting for changes; Ctrl-C ends it.');
  await watchProject(folder, async () => {
    say('');
    await testOnce(files, folder, options).catch((error: unknown) => say(messageOf(error)));
  });
}

async function testOnce(given: readonly string[], folder: string, options: Options): Promise<void> {
  const files = given.length > 0 ? given.flatMap(testFilesAt) : testFilesIn(folder);
  if (files.length === 0)
    throw new CommandFailure(`there is no *.hooktest.yaml in ${given.join(', ') || folder}`);
  const read = await Promise.all([...new Set(files)].map(readTests));
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
  const judged = [...unread, ...(await sideBySide(tests, (one) => judge(one, folder, options)))];
  const shown = judged.map((one) => ({ ...one, file: relative(folder, one.file) || one.file }));
  for (const one of shown) say(linesOf(one).join('\n'));
  const failed = shown.filter(({ lines }) => lines.length > 0).length;
  say(`\n${shown.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
  if (options.junit !== undefined) writeReport(resolve(options.junit), junitOf(shown));
}

async function judge(one: HookTest, folder: string, options: Options): Promise<Judged> {
  const startedAt = performance.now();
  const lines = await runHookTest(one, folder, options).then(
    (runs) => runs.flatMap(failureLines),
    (error: unknown) => [`${relative(folder, one.file)}:${one.line}: ${messageOf(error)}`],
  );
  return { file: one.file, name: one.name, durationMs: performance.now() - startedAt, lines };
}

function failureLines({ under, differences, notes }: TestRun): string[] {
  if (differences.length === 0) return [];
  const lines = [...differences.flatMap(differenceLines), ...notes];
  return under === undefined
    ? lines
    : [`as a hook of ${under}:`, ...lines.map((line) => `  ${line}`)];
}

const differenceLines = ({ what, expected, came }: Difference): string[] => [
  `${what}: - expected, + came`,
  ...diffOfValues(expected, came).map((line) => `  ${line}`),
];

const linesOf = ({ file, name, lines }: Judged): string[] => [
  `${lines.length === 0 ? '✓' : '✗'} ${file}: ${name}`,
  ...lines.map((line) => `    ${line}`),
];

/** As many at once as the machine has processors; what came is in the order of the tests. */
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

function testFilesAt(path: string): readonly string[] {
  const full = resolve(path);
  return statSync(full, { throwIfNoEntry: false })?.isDirectory() ? testFilesIn(full) : [full];
}

/** Folders that hold nothing of the project's own. */
const foreign: ReadonlySet<string> = new Set(['node_modules', '.git']);

function testFilesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return foreign.has(entry.name) ? [] : testFilesIn(path);
      return entry.name.endsWith('.hooktest.yaml') ? [path] : [];
    });
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandFailure(`--junit ${file} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
