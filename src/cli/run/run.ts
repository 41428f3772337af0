import type { Model } from '../../core/translate/model.ts';
import type { Command } from 'commander';
import { ChatLoop } from '../../agent/loop/chat-loop.ts';
import type { ChatEvent } from '../../agent/loop/chat-events.ts';
import { builtInTools } from '../../agent/tools/index.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import { allowGuardWritesOption } from '../parts/guard-writes-option.ts';
import { warn, warnPlainly, type WarningSink } from '../../base/log.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { addInspectOptions, inspected, type InspectOptions } from '../parts/inspect-option.ts';
import { reportChanges } from '../parts/report-changes.ts';
import { dialectsOption } from '../parts/dialects-option.ts';
import { noHooksOption, whichHooks } from '../../hosts/relay/no-hooks-option.ts';
import { printableJson } from '../parts/printable.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { readStdin } from '../parts/read-stdin.ts';
import { reportMissingGuards } from '../../hosts/relay/report-missing.ts';
import { addRecordingOptions, recorded, type RecordingOptions } from '../parts/recording-option.ts';
import { sessionNotes } from '../../hosts/relay/session-notes.ts';
import { onlyTrusted, trustOption } from '../../hosts/relay/trust-option.ts';
import { turnPrinter } from './turn-printer.ts';

interface Options extends RecordingOptions, InspectOptions {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly cwd: string;
  readonly dialects?: readonly Dialect[];
  readonly hooks: boolean;
  readonly json?: true;
  readonly maxSteps?: string;
  readonly live?: true;
  readonly trust?: true;
  readonly allowGuardWrites?: true;
  readonly watch?: true;
}

const systemInstruction =
  'You are a coding agent in the user’s project folder. Use the tools to look before you answer, and keep answers short.';

/** `hookmachine run "<prompt>"`: an agent session in the terminal, with the built-in tools. */
export function addRun(program: Command): void {
  addInspectOptions(addRecordingOptions(program.command('run')))
    .argument('<prompt>', 'what the agent should do; - reads it from stdin')
    .description('run an agent session with hooks around every model call and every tool call')
    .option(
      '--model <model>',
      'scripted:FILE, openai-compatible:NAME, google:NAME or anthropic:NAME (default: $HOOKMACHINE_MODEL)',
    )
    .option('--base-url <url>', "the model server's address")
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option(...dialectsOption)
    .option(...noHooksOption)
    .option(...trustOption)
    .option(...allowGuardWritesOption)
    .option('--json', 'print one event per line, as JSON')
    .option('--max-steps <n>', 'how many model calls the turn may take')
    .option('--live', 'show text as it streams, before AfterModel hooks have judged it')
    .option('--watch', 'reload settings when they change, from the next event on')
    .addHelpText(
      'after',
      `
Exit status: 0 the agent finished, 2 a hook or the limit stopped it, 1 it failed, 130 interrupted.

Example:
  hookmachine run "Tidy up" --model scripted:session.yaml`,
    )
    .action(run);
}

async function run(prompt: string, options: Options): Promise<void> {
  const cwd = projectFolder(options.cwd);
  const maxSteps = stepsOf(options.maxSteps);
  const model = await modelFor(options);
  const text = prompt === '-' ? await readStdin() : prompt;
  if (text.trim() === '') throw new CommandFailure('the prompt is empty: say what to do');
  if (options.hooks) await reportMissingGuards(cwd);
  const { watching, done } = await inspected(cwd, options, await recorded(cwd, options));
  const warnings = betweenTexts((line, plain) => warn(watching.onWarning, line, plain));
  const chat = new ChatLoop({
    config: createConfig({
      cwd,
      getHookModel: () => model,
      watch: options.watch === true,
      dialects: options.dialects ?? presentDialects,
      onNote: sessionNotes((line) => warnPlainly(warnings.tell, line)),
      ...whichHooks(options.hooks),
      ...onlyTrusted(cwd, options.trust),
      ...watching,
      onWarning: warnings.tell,
    }),
    model,
    tools: builtInTools(),
    systemInstruction,
    ...(options.allowGuardWrites && { allowGuardWrites: true }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(options.live && { display: 'live' }),
    onTextWaits: (hooks) => {
      if (process.stdout.isTTY)
        warnings.tell(
          `text is shown once these hooks have seen the whole answer: ${hooks.join(', ')}`,
        );
    },
  });
  // The first Ctrl-C ends the turn in an orderly way; the next one ends the command.
  const interrupt = (): void => chat.cancel('interrupted');
  process.once('SIGINT', interrupt);
  let isBlocked = false;
  const print = options.json ? printJson : turnPrinter(process.stdout);
  try {
    for await (const event of chat.run(text)) {
      print(event);
      if (event.type === 'hookDecision') reportChanges(event.changes ?? []);
      warnings.printed(event);
      isBlocked ||= event.type === 'modelBlocked';
      process.exitCode = exitCodeOf(event, isBlocked) ?? process.exitCode ?? 0;
    }
    for (const event of await chat.end('exit')) print(event);
  } finally {
    process.off('SIGINT', interrupt);
    warnings.flush();
    // A user who interrupted the session does not wait for the page.
    await done(process.exitCode === 130 ? 'at once' : 'when seen');
  }
}

async function modelFor({ model, baseUrl }: Options): Promise<Model> {
  const spec = model ?? process.env['HOOKMACHINE_MODEL'];
  if (spec === undefined || spec === '')
    throw new CommandFailure('which model? Pass --model, such as --model scripted:session.yaml');
  const { createModel } = await import('../../agent/models/create-model.ts');
  return createModel(spec, { ...(baseUrl !== undefined && { baseUrl }) }).catch((cause: Error) => {
    throw new CommandFailure(cause.message, { cause });
  });
}

/** Holds warnings back while the model's text streams, so that none appears in the middle of it. */
function betweenTexts(warnUser: WarningSink) {
  const waiting: Parameters<WarningSink>[] = [];
  let isInText = false;
  const flush = (): void => {
    for (const warning of waiting.splice(0)) warnUser(...warning);
  };
  return {
    tell: (...warning: Parameters<WarningSink>): void => {
      if (isInText) waiting.push(warning);
      else warnUser(...warning);
    },
    printed({ type }: ChatEvent): void {
      isInText = type === 'text';
      if (!isInText) flush();
    },
    flush,
  };
}

function printJson(event: ChatEvent): void {
  process.stdout.write(`${printableJson(event)}\n`);
}

function stepsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const steps = Number(text);
  if (!Number.isInteger(steps) || steps < 1)
    throw new CommandFailure(`--max-steps ${text}: give a whole number of at least 1`);
  return steps;
}

function exitCodeOf(event: ChatEvent, isBlocked: boolean): number | undefined {
  switch (event.type) {
    case 'finalAnswer':
      return isBlocked && event.text === '' ? 2 : 0;
    case 'stop':
    case 'promptBlocked':
      return 2;
    case 'error':
      return 1;
    case 'cancelled':
      return 130;
    default:
      return undefined;
  }
}
