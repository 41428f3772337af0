import type { Command } from 'commander';
import { builtInTools } from '../../agent/tools/index.ts';
import { blockedBy, type DurableOutcome } from '../../durable/outcome.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { oneLine } from '../../base/log.ts';
import type { ToolInput } from '../../../machines/tool-call.ts';
import {
  addHostOptions,
  durableHost,
  type HostOptions,
  reported,
  withCalls,
  workspaceIn,
} from '../parts/durable-options.ts';
import { print } from '../parts/print.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { parseJsonObject } from '../parts/parse-json-object.ts';
import { printableJson } from '../parts/printable.ts';
import { readStdin } from '../parts/read-stdin.ts';

interface Options extends HostOptions {
  readonly id?: string;
  readonly input?: string;
  readonly session?: string;
  readonly wait?: string | true;
  readonly submit?: true;
}

/** `hookmachine call`: one durable call of a built-in tool. */
export function addCall(program: Command): void {
  const tools = builtInTools();
  addHostOptions(program.command('call'))
    .argument('[name]', `one of ${[...tools.keys()].join(', ')}`)
    .description(
      'run one built-in tool as a durable call, which a hook may suspend until someone answers',
    )
    .option('--input <json>', "the tool's arguments as a JSON object; - reads them from stdin")
    .option('--id <id>', 'the id of the call: giving the same id again means the same call')
    .option('--session <id>', 'the session that hooks are given')
    .option('--submit', 'leave the call to a worker, and print its id')
    .option(
      '--wait [id]',
      'wait for the answer and the end; with an id and no tool, those of a call made elsewhere',
    )
    .addHelpText(
      'after',
      `
Exit status: 0 the tool ran, 2 blocked, stopped or refused, 3 it waits for an answer or was deferred,
1 the command could not do its work.

Examples:
  hookmachine call write_file --input '{"file_path":"a.txt","content":"hi"}' --id c-1
  hookmachine call --wait c-1`,
    )
    .action((name: string | undefined, options: Options) =>
      name === undefined ? waitFor(options) : reported(() => call(name, options)),
    );

  async function call(name: string, options: Options): Promise<void> {
    const { id, input, session, wait } = options;
    if (!tools.has(name))
      throw new CommandFailure(
        `there is no tool "${name}": use one of ${[...tools.keys()].join(', ')}`,
      );
    if (typeof wait === 'string')
      throw new CommandFailure('--wait takes an id only if no tool is named: use --id');
    if (input === undefined) throw new CommandFailure('--input is missing: give the arguments, such as {}'); // prettier-ignore
    const text = input === '-' ? await readStdin() : input;
    const toolInput = parseJsonObject(text, input === '-' ? 'stdin' : '--input');
    if (options.submit) return submitted(name, toolInput, options);
    let durable;
    try {
      durable = await durableHost(options);
    } catch (error) {
      if (!isHookmachineError(error, 'DATABASE_UNAVAILABLE')) throw error;
      return show(blockedBy(error, id ?? '', toolInput));
    }
    try {
      show(await durable.call({ id, name, input: toolInput, session }, { wait: wait === true }));
    } finally {
      await durable.close();
    }
  }
}

/** Submits a call for a worker to make; with `--wait`, waits for its end. */
const submitted = (name: string, input: ToolInput, options: Options): Promise<void> =>
  withCalls(async (records, here) => {
    const workspace = workspaceIn(options, here);
    const id = await records.submit({ id: options.id, session: options.session, workspace, name, input }); // prettier-ignore
    if (options.wait) return show(await records.outcome(id, { wait: true }));
    print(`${printableJson({ id, workspace, status: 'submitted' })}\n`);
  }, 'machine');

async function waitFor({ wait, input }: Options): Promise<void> {
  if (typeof wait !== 'string' || input !== undefined)
    throw new CommandFailure('name a tool, or pass --wait with the id of a call');
  await withCalls(async (records) => show(await records.outcome(wait, { wait: true })), 'machine');
}

function show(outcome: DurableOutcome): void {
  process.exitCode = exitStatus(outcome);
  process.stdout.write(`${printableJson(outcome, 2)}\n`);
  if (outcome.status === 'suspended') {
    const { id, expiresAt } = outcome.approval;
    process.stderr.write(
      `hookmachine: the call waits for an answer to ${id} until ${expiresAt.toISOString()}\n`,
    );
    return;
  }
  if (outcome.notice !== undefined)
    process.stderr.write(`hookmachine: a hook says: ${oneLine(outcome.notice)}\n`);
  if (outcome.stop)
    process.stderr.write(`hookmachine: a hook stops the agent: ${oneLine(outcome.stop.reason)}\n`);
}

function exitStatus(outcome: DurableOutcome): number {
  if (outcome.status === 'suspended' || outcome.status === 'deferred') return 3;
  if (outcome.status === 'failed') return 1;
  return outcome.status === 'done' && outcome.stop === undefined ? 0 : 2;
}
