import { createRequire } from 'node:module';
import { Command, type CommanderError } from 'commander';
import { isError } from '../base/errors.ts';
import { addExamples } from './parts/help-examples.ts';
import { printable } from '../base/visible.ts';

const { version, description } = createRequire(import.meta.url)('hookmachine/package.json') as {
  version: string;
  description: string;
};

type LoadCommand = () => Promise<(program: Command) => void>;

/** The commands, by the headings of the help. Each has its own module, so that none pays for what only others need. */
const groups: Readonly<Record<string, Readonly<Record<string, LoadCommand>>>> = {
  'Guard an agent:': {
    init: async () => (await import('./init/init.ts')).addInit,
    install: async () => (await import('./install/install.ts')).addInstall,
    uninstall: async () => (await import('./install/install.ts')).addInstall,
    doctor: async () => (await import('./doctor/doctor.ts')).addDoctor,
    guards: async () => (await import('./guards/guards.ts')).addGuards,
    relay: async () => (await import('./relay/relay-command.ts')).addRelay,
    serve: async () => (await import('./serve/serve-command.ts')).addServe,
    gateway: async () => (await import('./gateway/gateway-command.ts')).addGateway,
    usage: async () => (await import('./usage/usage.ts')).addUsage,
    mcp: async () => (await import('./mcp/mcp-command.ts')).addMcp,
  },
  'Write and check hooks:': {
    list: async () => (await import('./list/list.ts')).addList,
    check: async () => (await import('./check/check.ts')).addCheck,
    test: async () => (await import('./test/test.ts')).addTest,
    matrix: async () => (await import('./matrix/matrix.ts')).addMatrix,
    fire: async () => (await import('./fire/fire-command.ts')).addFire,
    backtest: async () => (await import('./backtest/backtest.ts')).addBacktest,
    trust: async () => (await import('./trust/trust.ts')).addTrust,
    enable: async () => (await import('./enable/enable.ts')).addEnable,
    disable: async () => (await import('./enable/enable.ts')).addEnable,
    migrate: async () => (await import('./migrate/migrate.ts')).addMigrate,
    schema: async () => (await import('./schema/schema.ts')).addSchema,
  },
  'See what happened:': {
    explain: async () => (await import('./explain/explain.ts')).addExplain,
    inspect: async () => (await import('./inspect/inspect.ts')).addInspect,
    report: async () => (await import('./report/report.ts')).addReport,
    replay: async () => (await import('./replay/replay.ts')).addReplay,
  },
  'Run tools and sessions:': {
    run: async () => (await import('./run/run.ts')).addRun,
    tool: async () => (await import('./tool/tool.ts')).addTool,
    call: async () => (await import('./call/call.ts')).addCall,
    worker: async () => (await import('./worker/worker.ts')).addWorker,
  },
  'Run it for a team:': {
    policy: async () => (await import('./policy/policy.ts')).addPolicy,
    audit: async () => (await import('./audit/audit.ts')).addAudit,
    approvals: async () => (await import('./approvals/approvals.ts')).addApprovals,
    durable: async () => (await import('./durable/durable.ts')).addDurable,
    hub: async () => (await import('./hub/hub.ts')).addHub,
  },
  'Started by others:': {
    warm: async () => (await import('./warm/warm.ts')).addWarm,
    'finish-hook': async () => (await import('./finish-hook/finish-hook.ts')).addFinishHook,
  },
};

const commands: Readonly<Record<string, LoadCommand>> = Object.assign({}, ...Object.values(groups));

/** Added last: it completes those that were added before it. */
const completion: LoadCommand = async () =>
  (await import('./completion/completion.ts')).addCompletion;

/** The program, without its commands. */
function newProgram(): Command {
  return new Command('hookmachine')
    .description(description)
    .version(version)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(printable(text.replace(/^error: /, 'hookmachine: '))),
    })
    .hook('preAction', async (_, command) =>
      (await import('../hosts/relay/forbidden.ts')).withoutForbidden(command),
    )
    .showHelpAfterError('(see --help)')
    .addHelpText(
      'after',
      `
Begin with:
  hookmachine init                          # switch on the built-in guards in this project
  hookmachine install claude-code           # have an agent call them
  hookmachine guards "rm -rf ~"             # what they say of a command
  hookmachine doctor                        # whether every agent really calls them
  hookmachine help COMMAND                  # more about a command`,
    );
}

function wantedBy([asked = '', , named = '', ...more]: readonly string[]): readonly LoadCommand[] {
  if (Object.hasOwn(commands, asked)) return [commands[asked]!];
  if (asked === 'completion') return [completion];
  // A shell asks with `complete -- WORDS`, and waits: only what the words are about is loaded.
  if (asked === 'complete' && Object.hasOwn(commands, named) && more.length > 0)
    return [commands[named]!, completion];
  // Scripts ask for the version, which needs no command; the help shows them all.
  return asked === '--version' || asked === '-V' ? [] : [...Object.values(commands), completion];
}

/** Returns the program with these commands, in the order and under the headings of the help. */
async function programWith(wanted: readonly LoadCommand[]): Promise<Command> {
  const program = newProgram();
  const loaded = await Promise.all(wanted.map((load) => load()));
  for (const add of new Set(loaded)) add(program);
  for (const [heading, names] of Object.entries(groups))
    for (const name of Object.keys(names))
      program.commands.find((command) => command.name() === name)?.helpGroup(heading);
  addExamples(program);
  describeFolders(program);
  return program;
}

/** The help is written when the command is built, and must not name the folder of its builder. */
function describeFolders(command: Command): void {
  for (const option of command.options)
    if (option.long === '--cwd' && option.defaultValue !== undefined)
      option.defaultValueDescription = 'the current folder';
  for (const inner of command.commands) describeFolders(inner);
}

/** Returns the program with all of its commands. */
export const wholeProgram = (): Promise<Command> =>
  programWith([...Object.values(commands), completion]);

/** Runs the command line; one that is not understood is reported, with an exit status of its own. */
export async function runProgram(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const program = await programWith(wantedBy(args));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!isOfCommander(error)) throw error;
    process.exitCode = error.exitCode;
  }
}

const isOfCommander = (error: unknown): error is CommanderError =>
  isError(error) && String((error as { code?: unknown }).code).startsWith('commander.');
