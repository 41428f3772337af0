import type { Command } from 'commander';
import type { Dialect } from '../dialects/dialect.ts';
import { defaultDialectsWith, knownDialects } from '../dialects/index.ts';
import { createConfig } from '../hooks/create-config.ts';
import { makeEmptySuccessResult } from '../hooks/results.ts';
import { hookEventNames } from '../protocol/events.ts';
import { dialectNamed, dialectsOption } from './dialects-option.ts';
import { CommandFailure } from './failure.ts';
import { fireReport } from './fire-report.ts';
import { noHooksOption } from './no-hooks-option.ts';
import { parseJsonObject } from './parse-json-object.ts';
import { printableJson } from './printable.ts';
import { projectFolder } from './project-folder.ts';
import { readStdin } from './read-stdin.ts';
import { addRecordingOptions, recorded, type RecordingOptions } from './recording-option.ts';
import { onlyTrusted, trustOption } from './trust-option.ts';

interface Options extends RecordingOptions {
  readonly cwd: string;
  readonly dialect: Dialect;
  readonly dialects?: readonly Dialect[];
  readonly hooks: boolean;
  readonly sessionId?: string;
  readonly trust?: true;
}

/** `hookmachine fire <Event>`: one event through its hooks, for agents in any language. */
export function addFire(program: Command): void {
  addRecordingOptions(program.command('fire'))
    .argument('<event>', `one of ${hookEventNames.join(', ')}, or of the dialect's`)
    .description(
      "run the hooks of one event: the event's fields as JSON on stdin, the verdict as JSON on stdout",
    )
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option('--session-id <id>', 'the session that hooks are told of (default: a new one)')
    .option(
      '--dialect <name>',
      `how the event, its fields and the verdict are spelled: ${knownDialects.map(({ name }) => name).join(', ')}`,
      dialectNamed,
      knownDialects[0],
    )
    .option(...dialectsOption)
    .option(...noHooksOption)
    .option(...trustOption)
    .addHelpText(
      'after',
      `
Exit status: 0 allowed, 2 blocked or stopped, 1 the command could not do its work.
AfterTool, AfterModel and BeforeToolSelection come too late to block: there a block
is told, for the model or the log, and undoes nothing.

Example:
  echo '{"tool_name":"write_file","tool_input":{"file_path":"a.txt"}}' | hookmachine fire BeforeTool`,
    )
    .action(fire);
}

async function fire(name: string, options: Options): Promise<void> {
  const {
    cwd,
    dialect,
    dialects = defaultDialectsWith(dialect),
    hooks,
    sessionId,
    trust,
  } = options;
  if (!Object.hasOwn(dialect.events, name))
    throw new CommandFailure(
      `there is no event "${name}": use one of ${Object.keys(dialect.events).join(', ')}`,
    );
  const event = dialect.events[name]!;
  if (sessionId !== undefined && !/^[\w.-]+$/.test(sessionId))
    throw new CommandFailure(
      '--session-id may hold letters, digits, "_", "." and "-" only: hooks use it in file names',
    );
  const folder = projectFolder(cwd);
  const given = parseJsonObject(await readStdin(), 'stdin');
  const read = dialect.readCall(name, given);
  if ('faults' in read)
    throw new CommandFailure(`stdin does not fit ${name}: ${read.faults.join('; ')}`);
  const { fields, context } = read;
  const config = createConfig({
    cwd: folder,
    // Hooks that know no such event need not be found.
    dialects: dialects.filter(({ events }) => Object.values(events).includes(event)),
    ...(!hooks && { enableHooks: false }),
    ...onlyTrusted(folder, trust),
    ...(await recorded(folder, options)),
    ...(sessionId !== undefined && { sessionId }),
  });
  const startedAt = performance.now();
  const system = config.getHookSystem();
  await system?.initialize();
  const result =
    (await system?.getEventHandler().fire(event, fields, context)) ?? makeEmptySuccessResult();
  const report = fireReport(event, fields, result, performance.now() - startedAt);
  process.exitCode = report.blocked || report.stop ? 2 : 0;
  const { toolResponse, followUps = [] } = result;
  const own = dialect.reportCall({
    toolName: 'tool_name' in fields ? fields.tool_name : undefined,
    toolInput: report.toolInput,
    toolResponse,
    followUps,
  });
  process.stdout.write(`${printableJson({ ...report, event: name, ...own })}\n`);
}
