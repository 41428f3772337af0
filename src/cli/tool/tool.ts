import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { argumentChanges, resultChanges } from '../../agent/loop/hook-changes.ts';
import { ToolScheduler, type CompletedToolCall } from '../../agent/loop/tool-scheduler.ts';
import { builtInTools } from '../../agent/tools/index.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import { oneLine, warnPlainly } from '../../base/log.ts';
import { allowGuardWritesOption } from '../parts/guard-writes-option.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { dialectsOption } from '../parts/dialects-option.ts';
import { reportChanges } from '../parts/report-changes.ts';
import { noHooksOption, whichHooks } from '../../hosts/relay/no-hooks-option.ts';
import { parseJsonObject } from '../parts/parse-json-object.ts';
import { printableJson } from '../parts/printable.ts';
import { projectFolder } from '../parts/project-folder.ts';
import { readStdin } from '../parts/read-stdin.ts';
import { reportMissingGuards } from '../../hosts/relay/report-missing.ts';
import { addRecordingOptions, recorded, type RecordingOptions } from '../parts/recording-option.ts';
import { sessionNotes } from '../../hosts/relay/session-notes.ts';
import { onlyTrusted, trustOption } from '../../hosts/relay/trust-option.ts';

interface Options extends RecordingOptions {
  readonly cwd: string;
  readonly input: string;
  readonly dialects?: readonly Dialect[];
  readonly hooks: boolean;
  readonly trust?: true;
  readonly allowGuardWrites?: true;
}

/** `hookmachine tool <name>`: one built-in tool through its whole lifecycle. */
export function addTool(program: Command): void {
  const tools = builtInTools();
  addRecordingOptions(program.command('tool'))
    .argument('<name>', `one of ${[...tools.keys()].join(', ')}`)
    .description('run one built-in tool with the hooks around it, and print its ToolResult as JSON')
    .requiredOption(
      '--input <json>',
      "the tool's arguments as a JSON object; - reads them from stdin",
    )
    .option('--cwd <dir>', 'the project folder', process.cwd())
    .option(...dialectsOption)
    .option(...noHooksOption)
    .option(...trustOption)
    .option(...allowGuardWritesOption)
    .addHelpText(
      'after',
      `
Exit status: 0 the tool ran, 2 blocked or stopped by a hook, or refused because it would write
to guards, 3 a hook asks about it or defers it, 1 the command could not do its work.

Example:
  hookmachine tool read_file --input '{"file_path":"README.md"}'`,
    )
    .action((name: string, options: Options) => runOne(tools, name, options));
}

async function runOne(
  tools: ReturnType<typeof builtInTools>,
  name: string,
  options: Options,
): Promise<void> {
  const { cwd, dialects = presentDialects, hooks, input, trust } = options;
  if (!tools.has(name))
    throw new CommandFailure(
      `there is no tool "${name}": use one of ${[...tools.keys()].join(', ')}`,
    );
  const folder = projectFolder(cwd);
  if (hooks) await reportMissingGuards(folder);
  const watching = await recorded(folder, options);
  const config = createConfig({
    cwd: folder,
    dialects,
    onNote: sessionNotes((line) => warnPlainly(watching.onWarning, line)),
    ...whichHooks(hooks),
    ...onlyTrusted(folder, trust),
    ...watching,
  });
  const text = input === '-' ? await readStdin() : input;
  const where = input === '-' ? 'stdin' : '--input';
  const request = { id: randomUUID(), name, input: parseJsonObject(text, where) };
  const { calls, stop } = await new ToolScheduler({
    config,
    tools,
    allowGuardWrites: options.allowGuardWrites,
  }).schedule([request]);
  const [call] = calls;
  if (call) reportChanges([...argumentChanges(call), ...resultChanges(call)]);
  const isUnread = (config.getUnreadFiles?.() ?? []).length > 0;
  const isRefused = call?.toolResult.error?.type === 'guarded_path';
  const isDenied = call?.outcome.status === 'blocked' || stop !== undefined || isRefused;
  process.exitCode = isOpen(call) ? 3 : isDenied ? 2 : isUnread ? 1 : 0;
  process.stdout.write(`${printableJson(call?.toolResult, 2)}\n`);
  if (call?.notice !== undefined)
    process.stderr.write(`hookmachine: a hook says: ${oneLine(call.notice)}\n`);
  if (stop) process.stderr.write(`hookmachine: a hook stops the agent: ${oneLine(stop.reason)}\n`);
}

/** Whether the tool did not run because someone has to answer first. */
const isOpen = (call: CompletedToolCall | undefined): boolean =>
  !call?.before?.verdict.stop &&
  (call?.outcome.status === 'deferred' || call?.before?.verdict.unanswered !== undefined);
