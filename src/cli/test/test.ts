import { statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Judged, junitOf } from '../../workbench/hooktests/junit.ts';
import { messageOf } from '../../base/message-of.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { judgeTests, linesOf, testFilesIn } from '../../workbench/hooktests/judge-tests.ts';
import { type Annotation, annotations, fromHere } from '../parts/annotate.ts';
import type { Colours } from '../parts/paint.ts';
import { printableJson } from '../parts/printable.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { say } from '../parts/shown-change.ts';
import { trustOption } from '../../hosts/relay/trust-option.ts';

interface Options {
  readonly cwd: string;
  readonly json?: true;
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
    .description('run tests of hooks, and show how the results differ from what they expect')
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--json', 'print JSON: a list of file, line, name, durationMs and lines')
    .option('--junit <file>', 'also write the results as JUnit XML')
    .option('--watch', 'run them again when a file of the project changes')
    .option(...trustOption)
    .addHelpText(
      'after',
      `
Hooks really run, in the project folder, in parallel; tools and models do not.
Exit status: 0 all passed, 1 at least one did not, or a test file is invalid.

Example of a file guard.hooktest.yaml:
  tests:
    - name: keeps secrets out of .env
      event: BeforeTool
      input: { tool_name: write_file, tool_input: { file_path: .env, content: KEY=1 } }
      expect: { decision: deny, reason: Secrets }

Example:
  hookmachine test guard.hooktest.yaml --junit results.xml`,
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
  const shown = await judgeTests([...new Set(files)], folder, options);
  const failed = shown.filter(({ lines }) => lines.length > 0);
  if (options.json) process.stdout.write(`${printableJson(shown, 2)}\n`);
  else {
    for (const one of shown) say(linesOf(one).join('\n'), colours);
    say(`\n${shown.length - failed.length} passed, ${failed.length} failed`, colours);
    process.stdout.write(annotations(failed.map((one) => annotationOf(one, folder))));
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
  if (options.junit !== undefined) writeReport(resolve(options.junit), junitOf(shown));
}

const colours: Colours = [
  [/^✓|, 0 failed$/, 'green'],
  [/^✗|, \d+ failed$/, 'red'],
];

const annotationOf = ({ file, line, name, lines }: Judged, folder: string): Annotation => ({
  level: 'error',
  file: fromHere(resolve(folder, file)),
  line,
  title: `hookmachine test: ${name}`,
  message: lines.join('\n'),
});

function testFilesAt(path: string): readonly string[] {
  const full = resolve(path);
  return statSync(full, { throwIfNoEntry: false })?.isDirectory() ? testFilesIn(full) : [full];
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
