import { createRequire } from 'node:module';
import { Command, type CommanderError } from 'commander';
import { isError } from '../base/errors.ts';
import { printable } from '../base/visible.ts';

const { version, description } = createRequire(import.meta.url)('hookmachine/package.json') as {
  version: string;
  description: string;
};

/** Each command has its own module, so that none pays for what only others need. */
const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  fire: async () => (await import('./fire/fire-command.ts')).addFire,
  relay: async () => (await import('./relay/relay-command.ts')).addRelay,
  install: async () => (await import('./install/install.ts')).addInstall,
  uninstall: async () => (await import('./install/install.ts')).addInstall,
  serve: async () => (await import('./serve/serve-command.ts')).addServe,
  gateway: async () => (await import('./gateway/gateway-command.ts')).addGateway,
  usage: async () => (await import('./usage/usage.ts')).addUsage,
  mcp: async () => (await import('./mcp/mcp-command.ts')).addMcp,
  tool: async () => (await import('./tool/tool.ts')).addTool,
  call: async () => (await import('./call/call.ts')).addCall,
  worker: async () => (await import('./worker/worker.ts')).addWorker,
  approvals: async () => (await import('./approvals/approvals.ts')).addApprovals,
  durable: async () => (await import('./durable/durable.ts')).addDurable,
  run: async () => (await import('./run/run.ts')).addRun,
  explain: async () => (await import('./explain/explain.ts')).addExplain,
  inspect: async () => (await import('./inspect/inspect.ts')).addInspect,
  report: async () => (await import('./report/report.ts')).addReport,
  replay: async () => (await import('./replay/replay.ts')).addReplay,
  backtest: async () => (await import('./backtest/backtest.ts')).addBacktest,
  guards: async () => (await import('./guards/guards.ts')).addGuards,
  doctor: async () => (await import('./doctor/doctor.ts')).addDoctor,
  list: async () => (await import('./list/list.ts')).addList,
  init: async () => (await import('./init/init.ts')).addInit,
  check: async () => (await import('./check/check.ts')).addCheck,
  matrix: async () => (await import('./matrix/matrix.ts')).addMatrix,
  test: async () => (await import('./test/test.ts')).addTest,
  migrate: async () => (await import('./migrate/migrate.ts')).addMigrate,
  trust: async () => (await import('./trust/trust.ts')).addTrust,
  enable: async () => (await import('./enable/enable.ts')).addEnable,
  disable: async () => (await import('./enable/enable.ts')).addEnable,
  warm: async () => (await import('./warm/warm.ts')).addWarm,
  'finish-hook': async () => (await import('./finish-hook/finish-hook.ts')).addFinishHook,
  audit: async () => (await import('./audit/audit.ts')).addAudit,
  policy: async () => (await import('./policy/policy.ts')).addPolicy,
  schema: async () => (await import('./schema/schema.ts')).addSchema,
};

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
    .showHelpAfterError('(see --help)');
}

function wantedBy(asked: string) {
  if (Object.hasOwn(commands, asked)) return [commands[asked]!];
  // Scripts ask for the version, which needs no command; the help shows them all.
  return asked === '--version' || asked === '-V' ? [] : Object.values(commands);
}

/** Runs the command line; one that is not understood is reported, with an exit status of its own. */
export async function runProgram(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const asked = args[0] ?? '';
  const program = newProgram();
  const loaded = await Promise.all(wantedBy(asked).map((load) => load()));
  for (const add of new Set(loaded)) add(program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!isOfCommander(error)) throw error;
    process.exitCode = error.exitCode;
  }
}

const isOfCommander = (error: unknown): error is CommanderError =>
  isError(error) && String((error as { code?: unknown }).code).startsWith('commander.');
