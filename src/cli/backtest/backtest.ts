import { availableParallelism } from 'node:os';
import { Option, type Command } from 'commander';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { hookmachine } from '../../hosts/hookmachine/index.ts';
import { knownDialects } from '../../hosts/all/known.ts';
import { warn } from '../../base/log.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { redactor } from '../../settings/redaction/redactor.ts';
import { nearestKey } from '../../settings/format/unknown-names.ts';
import {
  transcriptsAt,
  type TranscriptFile,
} from '../../workbench/transcripts/find-transcripts.ts';
import { backtestReport } from './backtest-report.ts';
import { dialectNamed, dialectsOption } from '../parts/dialects-option.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { guardsNamed } from '../../workbench/backtest/guards-named.ts';
import { annotations } from '../parts/annotate.ts';
import { printableJson } from '../parts/printable.ts';
import { ProgressBar } from '../parts/progress-bar.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { redactionIn } from '../parts/redaction-in.ts';
import { runBacktest } from '../../workbench/backtest/run-backtest.ts';
import { trustOption } from '../../hosts/relay/trust-option.ts';
import { counted } from '../../base/counted.ts';

interface Options {
  readonly on: readonly string[];
  readonly cwd: string;
  readonly events?: readonly HookEventName[];
  readonly jobs: number;
  readonly examples: number;
  readonly dialect: Dialect;
  readonly dialects?: readonly Dialect[];
  readonly trust?: true;
  readonly json?: true;
  readonly since?: number;
}

/**
 * The events of guards: before anything has happened. Other hooks act, and what they would act on is past.
 */
const guarded: readonly HookEventName[] = ['BeforeTool', 'BeforeAgent', 'BeforeModel'];

/** How many warnings are shown one by one. */
const mostWarnings = 20;

/** `hookmachine backtest HOOKS --on PATH…`: what hooks would have done in past sessions. */
export function addBacktest(program: Command): void {
  program
    .command('backtest')
    .argument(
      '<hooks>',
      'the hooks: a settings file, a project folder, a configured hook, a script or a command line',
    )
    .requiredOption(
      '--on <paths...>',
      'recordings, session files of Claude Code, Codex or Gemini CLI, or folders of them',
    )
    .description('run hooks over past sessions, and show what they would have done')
    .option('--cwd <dir>', 'the project folder, in which hooks run', process.cwd())
    .option(
      '--events <names>',
      `the events whose hooks run (default: ${guarded.join(',')}; for a script: BeforeTool)`,
      eventsNamed,
    )
    .option(
      '--jobs <n>',
      'how many events are judged at once (1: one after another, in order)',
      wholeNumber('--jobs', 1),
      availableParallelism(),
    )
    .option(
      '--examples <n>',
      'how many examples to show of what each hook did',
      wholeNumber('--examples', 0),
      3,
    )
    .addOption(
      new Option('--dialect <name>', 'how a script reads events, and how it answers')
        .argParser(dialectNamed)
        .default(hookmachine, hookmachine.name),
    )
    .option(...dialectsOption)
    .option(...trustOption)
    .option(
      '--since <when>',
      'skip what happened before this: a date, such as 2026-11-01, or an age, such as 30d or 12h',
      since,
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Hooks really run; tools and models do not. Paths in a session of another folder are given to hooks as if it had
run in the project. Secrets are redacted in what is printed.

Exit status: 0 whatever hooks said, 1 the command could not do its work, 130 it was interrupted; what is known
by then is printed.

Examples:
  hookmachine backtest .hookmachine/settings.json --on ~/.claude/projects ~/.codex/sessions
  hookmachine backtest ./no-env.sh --on session.jsonl --since 30d`,
    )
    .action(backtest);
}

async function backtest(named: string, options: Options): Promise<void> {
  const { events = guarded, jobs, examples, dialect, dialects, trust } = options;
  // Nothing in a file is newer than the file's last change.
  const files = options.on
    .flatMap(filesAt)
    .filter(({ changedAt }) => options.since === undefined || changedAt >= options.since);
  const bar = new ProgressBar(files.reduce((sum, { size }) => sum + size, 0));
  let warnings = 0;
  const onWarning = (line: string): void => {
    if (++warnings > mostWarnings) return;
    bar.clear();
    warn(undefined, line);
  };
  const guards = await guardsNamed(named, {
    folder: projectFolder(options.cwd),
    dialect,
    events: options.events ?? ['BeforeTool'],
    onWarning,
    ...(dialects && { dialects }),
    ...(trust && { trust }),
  });
  const system = guards.config.getHookSystem();
  await system?.initialize();
  if ((system?.getStatus().totalHooks ?? 0) === 0)
    throw new CommandFailure(
      `there is no hook to run in ${named}; hookmachine list --cwd ${guards.folder} shows what is configured there`,
    );
  // The first Ctrl-C ends running hooks and prints the results so far; the next one ends the command.
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  process.once('SIGINT', interrupt);
  try {
    const outcome = await runBacktest(guards, files, {
      events: new Set(events),
      jobs,
      examples,
      redactor: redactor(redactionIn(guards.folder)),
      signal: controller.signal,
      since: options.since,
      onProgress: (bytes, calls, denied) =>
        bar.update(bytes, () => `${counted(calls, 'event')}, ${denied} denied`),
    });
    bar.clear();
    const more = warnings - mostWarnings;
    if (more > 0)
      warn(undefined, `${counted(more, 'more warning was', 'more warnings were')} omitted`);
    if (Object.keys(outcome.files).length === 0 && outcome.isComplete)
      throw new CommandFailure(
        `there is no session in ${options.on.join(', ')}${options.since === undefined ? '' : ` since ${new Date(options.since).toISOString()}`}: ${outcome.notUnderstood[0]?.why ?? 'no file there looks like one'}`,
      );
    process.exitCode = outcome.isComplete ? 0 : 130;
    const report = backtestReport(outcome);
    const note = { level: 'notice', title: 'hookmachine backtest', message: report } as const;
    process.stdout.write(
      options.json ? `${printableJson(outcome, 2)}\n` : report + annotations([note]),
    );
  } finally {
    process.off('SIGINT', interrupt);
  }
}

function filesAt(path: string): readonly TranscriptFile[] {
  const found = transcriptsAt(path);
  if (found === undefined)
    throw new CommandFailure(`--on ${path}: there is no such file or folder`);
  return found;
}

const agoUnits: Readonly<Record<string, number>> = { m: 6e4, h: 36e5, d: 864e5, w: 7 * 864e5 };

function since(given: string): number {
  const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(given) ?? [];
  const ago = Number(count) * (agoUnits[unit] ?? Number.NaN);
  const at = Number.isNaN(ago) ? dateIn(given) : Date.now() - ago;
  if (Number.isNaN(at))
    throw new CommandFailure(
      `--since ${given}: give a date, such as 2026-11-01, or an age, such as 30d or 12h`,
    );
  if (at > Date.now()) throw new CommandFailure(`--since ${given}: that is in the future`);
  return at;
}

/**
 * Parses a date, which means its start in UTC, or a date with a time, as ms since 1970; NaN for any other
 * text.
 */
function dateIn(text: string): number {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  // A day that does not exist, such as 31 February, would be parsed as one of the next month.
  const isDay = day !== undefined && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day); // prettier-ignore
  return isDay ? Date.parse(text) : Number.NaN;
}

function eventsNamed(names: string): readonly HookEventName[] {
  return names.split(',').map((given) => {
    const name = given.trim();
    const all = knownDialects.flatMap(({ events }) => Object.keys(events));
    const known = knownDialects.find(({ events }) => Object.hasOwn(events, name));
    if (known) return known.events[name]!;
    throw new CommandFailure(
      `--events: there is no event "${name}": use ${nearestKey(name, all) ?? Object.keys(hookmachine.events).join(', ')}`,
    );
  });
}

const wholeNumber =
  (option: string, least: number) =>
  (text: string): number => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= least) return number;
    throw new CommandFailure(`${option} ${text}: give a whole number of at least ${least}`);
  };
