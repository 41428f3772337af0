import type { Command } from 'commander';
import { isHookmachineError } from '../errors.ts';
import { accounts, type CallAccount } from '../journal/account.ts';
import { explain, sentence } from '../journal/explain.ts';
import { fixOfSkipped, readRecording, type SkippedLine } from '../journal/read-recording.ts';
import { oneLine } from '../log.ts';
import { CommandFailure } from './failure.ts';
import { printable, printableJson } from './printable.ts';

interface Options {
  readonly json?: true;
}

/** How many skipped lines are reported one by one. */
const mostTold = 10;

/** `hookmachine explain FILE [call]`: what hooks did to a recorded call, in words. */
export function addExplain(program: Command): void {
  program
    .command('explain')
    .argument('<file>', 'a recording, made with --record')
    .argument('[call]', 'a tool call id, an entry id, or a number of the list')
    .description('say which hook did what to a recorded call, and why it ended as it did')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Without a call, all calls are listed, one a line.

Example:
  hookmachine tool read_file --input '{"file_path":"README.md"}' --record session.jsonl
  hookmachine explain session.jsonl 1`,
    )
    .action(run);
}

async function run(file: string, wanted: string | undefined, { json }: Options): Promise<void> {
  const skipped: SkippedLine[] = [];
  let count = 0;
  const onSkipped = (line: SkippedLine): void => {
    if (++count <= mostTold) skipped.push(line);
  };
  const calls = accounts(readRecording(file, { onSkipped }));
  try {
    const text = await (wanted === undefined ? list(calls, json) : one(file, calls, wanted, json));
    tellSkipped(file, skipped, count);
    process.stdout.write(text);
  } catch (error) {
    if (isHookmachineError(error, 'RECORDING_INVALID'))
      throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}

/** Of each call only what is printed is kept: a recording may hold a great many. */
async function list(calls: AsyncIterable<CallAccount>, json?: boolean): Promise<string> {
  const found: { index: number; text: string }[] = [];
  for await (const call of calls)
    found.push({ index: call.index, text: json ? printableJson(call) : listed(call) });
  const texts = found.toSorted((a, b) => a.index - b.index).map(({ text }) => text);
  if (json) return `[${texts.join(',\n')}]\n`;
  return texts.length === 0 ? 'Nothing was called.\n' : `${texts.join('\n')}\n`;
}

async function one(
  file: string,
  calls: AsyncIterable<CallAccount>,
  wanted: string,
  json?: boolean,
): Promise<string> {
  const found = await find(calls, wanted);
  if (found.length === 0)
    throw new CommandFailure(
      `${file}: there is no call "${wanted}"; without one, hookmachine explain lists them`,
    );
  if (json) return `${printableJson(found, 2)}\n`;
  return `${found.map((call) => [title(call), ...explain(call)].map(shown).join('\n')).join('\n\n')}\n`;
}

/** By id if any call has it, for ids may be numbers too. */
async function find(entries: AsyncIterable<CallAccount>, wanted: string): Promise<CallAccount[]> {
  const byId: CallAccount[] = [];
  const byNumber: CallAccount[] = [];
  const number = Number(wanted.replace(/^#/, ''));
  for await (const call of entries)
    if (call.callId === wanted || call.id === wanted) byId.push(call);
    else if (call.index === number) byNumber.push(call);
  return byId.length > 0 ? byId.toSorted((a, b) => a.index - b.index) : byNumber;
}

function tellSkipped(file: string, skipped: readonly SkippedLine[], count: number): void {
  const more = count - skipped.length;
  const lines = skipped.map(
    ({ line, message }) => `line ${line} ${message}, so it was skipped; ${fixOfSkipped}`,
  );
  if (more > 0) lines.push(`${more} more lines were skipped`);
  for (const line of lines)
    process.stderr.write(`hookmachine: ${oneLine(printable(`${file}: ${line}`))}\n`);
}

/** What was recorded may come from strangers, and what is one line stays one. */
const shown = (line: string): string => printable(line.trimEnd().replaceAll(/\s*\n\s*/g, ' | '));

const kinds: Readonly<Record<string, string>> = {
  agentTurn: 'turn',
  modelCall: 'model call',
  toolCall: 'tool call',
  hookEvent: 'event',
};

const idOf = ({ callId, id }: CallAccount): string => callId ?? id;

const timeOf = (at: number): string =>
  Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : 'an unknown time';

function title(call: CallAccount): string {
  const { index, machine, session, startedAt } = call;
  return `#${index} ${kinds[machine] ?? machine} ${idOf(call)}, session ${session}, ${timeOf(startedAt)}`;
}

/** Turns hold the calls that follow them. */
function listed(call: CallAccount): string {
  const indent = call.machine === 'agentTurn' || call.parent === undefined ? '' : '  ';
  const line = `#${call.index} ${indent}${kinds[call.machine] ?? call.machine} ${idOf(call)}: ${sentence(call)}`;
  return oneLine(shown(line), 200);
}
