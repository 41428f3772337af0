import type { Command } from 'commander';
import type { CreateConfigOptions } from '../../hosts/system/create-config.ts';
import type { LiveInspector } from '../../watch/inspector/start-inspector.ts';
import { observeAll } from '../../watch/journal/observe-all.ts';
import { redactSettings, refuseBroken } from '../../settings/redaction/redact-settings.ts';
import { warn, warnPlainly, type WarningSink } from '../../base/log.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { openInBrowser } from './open-in-browser.ts';

/** The options of a command that can show what it does. */
export interface InspectOptions {
  readonly inspect?: true;
  readonly 'inspect=stately'?: true;
  readonly inspectPayloads?: true;
  readonly inspectPort?: string;
  readonly inspectWait?: true;
  readonly open?: true;
}

/** Adds `--inspect` to a command. */
export const addInspectOptions = (command: Command): Command =>
  command
    .option('--inspect', 'show every call in the browser as it happens')
    // A separate option: one with an optional value would take the prompt as its value.
    .option('--inspect=stately', "show the machines in Stately's inspector, a page of stately.ai")
    .option(
      '--inspect-payloads',
      'also show arguments, prompts, results and what hooks read and wrote, redacted as the settings say',
    )
    .option('--inspect-port <n>', "the page's port on this machine (default: a free one)")
    .option('--inspect-wait', 'keep showing it after the end, until Ctrl-C')
    .option(...openOption);

/** The option that opens the page. */
export const openOption = ['--open', 'open the page in the browser'] as const;

/** The observers that a command's config may have. */
type Watching = Pick<CreateConfigOptions, 'inspect' | 'onWarning'>;

/** A command that may be inspected. */
export interface Inspected {
  readonly watching: Watching;
  /** Shows an entry that another process recorded; absent if nothing is shown here. */
  readonly add?: LiveInspector['add'];
  /**
   * Ends the page: at once, once it has been seen, or with `--inspect-wait` when the user says so.
   */
  readonly done: (how?: 'at once' | 'when seen') => Promise<void>;
}

/** Starts the page that `--inspect` asks for and prints its address; existing observers are kept. */
export async function inspected(
  cwd: string,
  options: InspectOptions,
  watching: Watching = {},
): Promise<Inspected> {
  if (options.inspect && options['inspect=stately'])
    throw new CommandFailure('--inspect and --inspect=stately: pass only one of them');
  if (options.inspect) return inOurPage(cwd, options, watching);
  const lone = [
    options.inspectPort !== undefined && '--inspect-port',
    options.inspectWait && '--inspect-wait',
    options.open && '--open',
    options.inspectPayloads && !options['inspect=stately'] && '--inspect-payloads',
  ].find(Boolean);
  if (lone) throw new CommandFailure(`${lone} needs --inspect`);
  return options['inspect=stately']
    ? inStately(cwd, options, watching)
    : { watching, done: () => Promise.resolve() };
}

async function inOurPage(
  cwd: string,
  { inspectPayloads, inspectPort, inspectWait, open }: InspectOptions,
  watching: Watching,
): Promise<Inspected> {
  const port = portOf(inspectPort, '--inspect-port');
  const { serveJournal } = await import('../../watch/inspector/start-inspector.ts');
  const { entries, tellProblems } = redaction(cwd, watching, inspectPayloads === true);
  const inspector = await serveJournal(cwd, {
    ...(port !== undefined && { port }),
    payloads: inspectPayloads === true,
    redact: entries,
    onProblem: (text) => warn(watching.onWarning, text),
  }).catch((cause: Error) => {
    throw new CommandFailure(`--inspect: ${cause.message}`, { cause });
  });
  const onWarning: WarningSink = (line, plain) => {
    inspector.warned(line, plain);
    warn(watching.onWarning, line, plain);
  };
  tellProblems(onWarning);
  process.stderr.write(`hookmachine: ${inspector.url} shows this session\n`);
  if (open) void openInBrowser(inspector.ticket(), onWarning);
  return {
    watching: { inspect: observeAll(watching.inspect, inspector.observe)!, onWarning },
    add: inspector.add,
    done: (how = 'at once') => end(inspector, inspectWait ? 'when interrupted' : how),
  };
}

/** How soon an open page has received everything. */
const soonMs = 1_000;

const sayEnded = (how: string): void =>
  void process.stderr.write(`hookmachine: the session has ended; ${how}\n`);

async function end(
  inspector: LiveInspector,
  when: 'at once' | 'when seen' | 'when interrupted',
): Promise<void> {
  inspector.end();
  if (when === 'when interrupted') {
    sayEnded('Ctrl-C ends its page');
    await untilInterrupted();
  } else if (when === 'when seen') {
    const saying = setTimeout(() => {
      sayEnded('its page stays until it has been opened, or until Ctrl-C');
    }, soonMs);
    await untilInterrupted(inspector.seen);
    clearTimeout(saying);
  }
  await inspector.close();
}

async function inStately(
  cwd: string,
  { inspectPayloads }: InspectOptions,
  watching: Watching,
): Promise<Inspected> {
  const { bridgeToStately } = await import('../../watch/stately/stately-inspector.ts');
  const { entries, tellProblems } = redaction(cwd, watching, inspectPayloads === true);
  const stately = await bridgeToStately({
    payloads: inspectPayloads === true,
    redact: entries,
    ...(watching.onWarning && { onWarning: watching.onWarning }),
  }).catch((cause: Error) => {
    throw new CommandFailure(`--inspect=stately: ${cause.message}`, { cause });
  });
  tellProblems((line, plain) => warn(watching.onWarning, line, plain));
  process.stderr.write(`hookmachine: ${stately.url} shows this session in Stately's inspector\n`);
  return {
    watching: { ...watching, inspect: observeAll(watching.inspect, stately.observe)! },
    done() {
      stately.close();
      return Promise.resolve();
    },
  };
}

/** What the settings redact; an existing observer, if there is one, has already reported their problems. */
function redaction(cwd: string, watching: Watching, payloads: boolean) {
  const settings = redactSettings(cwd);
  const { entries, problems } = settings;
  if (payloads)
    try {
      refuseBroken(settings);
    } catch (cause) {
      throw new CommandFailure(`--inspect-payloads: ${(cause as Error).message}`, { cause });
    }
  return {
    entries,
    tellProblems: (tell: WarningSink): void => {
      if (!watching.inspect)
        for (const problem of problems) warnPlainly(tell, formatProblem(problem));
    },
  };
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Keeps the process alive until Ctrl-C, until it is asked to end, or until `awaited` has happened. */
export const untilInterrupted = (
  awaited?: Promise<void>,
  asking: readonly NodeJS.Signals[] = signals,
): Promise<void> =>
  new Promise((resolve) => {
    const hold = setInterval(() => undefined, 2 ** 30);
    const release = (): void => {
      clearInterval(hold);
      for (const name of asking) process.off(name, release);
      resolve();
    };
    for (const name of asking) process.on(name, release);
    void awaited?.then(release);
  });

/** Parses the port that an option asks for; 0 means any free one. */
export function portOf(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new CommandFailure(`${option} ${text}: give a whole number from 0 to 65535`);
  return port;
}
