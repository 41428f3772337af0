import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { knownDialects, presentDialects } from '../../hosts/all/known.ts';
import { sameEvent } from '../../hosts/all/same-event.ts';
import { compare } from '../../workbench/matrix/compare.ts';
import { namesOf, runAs, type Trial } from '../../workbench/matrix/run-as.ts';
import { sampleFields } from '../../workbench/matrix/sample-fields.ts';
import { messageOf } from '../../base/message-of.ts';
import { dialectNamed, dialectsOption } from '../parts/dialects-option.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { matrixTable } from './matrix-table.ts';
import { parseJsonObject } from '../parts/parse-json-object.ts';
import { print } from '../parts/print.ts';
import { ProgressBar } from '../parts/progress-bar.ts';
import { printableJson } from '../parts/printable.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { scriptNamed } from '../../workbench/parts/script-named.ts';

interface Options {
  readonly cwd: string;
  readonly event: string;
  readonly dialect: Dialect;
  readonly input?: string;
  readonly dialects?: readonly Dialect[];
  readonly timeout: number;
  readonly trust?: true;
  readonly json?: true;
}

/** `hookmachine matrix`: one script as a hook of each dialect. */
export function addMatrix(program: Command): void {
  program
    .command('matrix')
    .argument('<script>', 'a file, a command line in quotes, or the name of a configured hook')
    .description('run one script as a hook of each dialect, and show what each host would do')
    .option('--event <event>', 'the event to try it with', 'BeforeTool')
    .option('--input <file>', "the event's own fields as JSON (default: a sample)")
    .addOption(
      new Option(
        '--dialect <name>',
        `the dialect of --event and --input: ${knownDialects.map(({ name }) => name).join(', ')}`,
      )
        .argParser(dialectNamed)
        .default(knownDialects[0], knownDialects[0]?.name),
    )
    .option(...dialectsOption)
    .addOption(
      new Option('--timeout <ms>', 'how long each run may take')
        .argParser(milliseconds)
        .default(60_000),
    )
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--trust', 'run a project hook that you have not trusted')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The script really runs, once for each name that the event has in a dialect, and receives the event as that
dialect's host sends it. Nothing else runs: no tool, no host, and no other hook.
Exit status: 0 all hosts would do the same, 2 they would not, 1 the command could not do its work.

Example:
  hookmachine matrix ./guard.sh --event tool.before`,
    )
    .action(matrix);
}

async function matrix(named: string, options: Options): Promise<void> {
  const cwd = projectFolder(options.cwd);
  const trial = await trialOf(options, cwd);
  const script = await scriptNamed(named, cwd, options);
  const found = [];
  const runs = (options.dialects ?? presentDialects).flatMap((dialect) =>
    namesOf(dialect, trial.event).map((name) => ({ dialect, name })),
  );
  const bar = new ProgressBar(runs.length);
  // One after another: scripts may share a file.
  for (const [done, { dialect, name }] of runs.entries()) {
    bar.update(done, () => `${script.name} as a hook of ${dialect.name} ${name}`);
    const row = await runAs(dialect, name, script, trial);
    if (row) found.push({ dialect, row });
  }
  bar.clear();
  if (found.length === 0)
    throw new CommandFailure(`no dialect has hooks for ${trial.event}: name another --event`);
  const comparison = compare(found, trial);
  const { event, fields } = trial;
  const report = { script: script.name, event, input: fields, ...comparison };
  process.exitCode = comparison.same ? 0 : 2;
  print(options.json ? `${printableJson(report)}\n` : matrixTable(report));
}

function milliseconds(text: string): number {
  const given = Number(text);
  if (!Number.isInteger(given) || given < 1)
    throw new CommandFailure(`--timeout ${text}: make it a whole number of milliseconds`);
  return given;
}

async function trialOf({ event: named, input, dialect }: Options, cwd: string): Promise<Trial> {
  const { events } = dialect;
  const own = Object.keys(events).find((one) => plain(one) === plain(named));
  const same = own === undefined ? sameEvent(named, events) : undefined;
  // What stands in a file of fields depends on whose event it is.
  const name = own ?? (input === undefined ? same?.names[0] : undefined);
  if (name === undefined)
    throw new CommandFailure(
      `there is no event "${named}": use ${same ? `${same.names.join(' or ')}, or --dialect ${same.dialect}` : `one of ${Object.keys(events).join(', ')}`}`,
    );
  const event = events[name]!;
  if (input === undefined) {
    const fields = sampleFields(event);
    if (fields === undefined)
      throw new CommandFailure(`there is no sample of ${name}: pass its fields with --input`);
    return { event, fields, context: { toolCallId: 'call-1' }, cwd };
  }
  const read = await dialect.readCall(name, parseJsonObject(textOf(resolve(input)), input));
  if ('faults' in read)
    throw new CommandFailure(`${input} does not match ${name}: ${read.faults.join('; ')}`);
  return { event, ...read, cwd };
}

/** So that `before-tool` also names `BeforeTool`. */
const plain = (name: string): string => name.replaceAll(/[-_.]/g, '').toLowerCase();

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`--input ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
