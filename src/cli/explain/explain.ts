import type { Command } from 'commander';
import { isRecord } from '../../base/json.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { accounts, type CallAccount } from '../../watch/journal/account.ts';
import { explain, sentence } from '../../watch/journal/explain.ts';
import {
  CostCounter,
  costInWords,
  type HookStats,
  hookStats,
} from '../../watch/journal/hook-stats.ts';
import {
  fixOfSkipped,
  readRecording,
  type SkippedLine,
} from '../../watch/journal/read-recording.ts';
import { oneLine } from '../../base/log.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { findCalls } from '../parts/find-calls.ts';
import { storyOf } from '../../watch/journal/story.ts';
import { type Colours, painted } from '../parts/paint.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { counted } from '../../base/counted.ts';

interface Options {
  readonly json?: true;
  readonly stats?: true;
  readonly denied?: true;
  readonly failed?: true;
}

/** How many skipped lines are reported one by one. */
const mostReported = 10;

/** `hookmachine explain FILE [call]`: what hooks did to a recorded call, in words. */
export function addExplain(program: Command): void {
  program
    .command('explain')
    .argument('<file>', 'a recording, made with --record')
    .argument('[call]', 'a tool call id, an entry id, or a number of the list')
    .description('say which hook did what to a recorded call, and why it ended as it did')
    .option('--stats', 'count what each hook did in all calls, and the time that it took and added')
    .option('--denied', 'list only calls that hooks denied or stopped')
    .option('--failed', 'list only calls of which a hook failed, or which failed themselves')
    .option('--json', 'print JSON, with everything that was recorded')
    .addHelpText(
      'after',
      `
Without a call, all calls are listed, one per line. For a recording that was made with --record-payloads,
arguments, texts, and what hooks read and wrote are shown.

Example:
  hookmachine tool read_file --input '{"file_path":"README.md"}' --record session.jsonl
  hookmachine explain session.jsonl 1
  hookmachine explain session.jsonl --stats`,
    )
    .action(run);
}

async function run(file: string, wanted: string | undefined, options: Options): Promise<void> {
  const { json, stats, denied, failed } = options;
  if ((denied || failed) && (stats || wanted !== undefined))
    throw new CommandFailure('--denied and --failed are for the list of all calls');
  if (stats && wanted !== undefined)
    throw new CommandFailure(
      '--stats counts all calls of the recording: do not name a call as well',
    );
  const skipped: SkippedLine[] = [];
  let count = 0;
  const onSkipped = (line: SkippedLine): void => {
    if (++count <= mostReported) skipped.push(line);
  };
  const calls = accounts(readRecording(file, { onSkipped }));
  try {
    const text = await (stats
      ? statistics(calls, json)
      : wanted === undefined
        ? list(calls, options)
        : one(file, calls, wanted, json));
    tellSkipped(file, skipped, count);
    process.stdout.write(json ? text : painted(text, colours));
  } catch (error) {
    if (isHookmachineError(error, 'RECORDING_INVALID'))
      throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}

const colours: Colours = [
  [/^#\d+ .*: .*(?:was blocked|was refused|stopped)|^ +together: (?:blocked|stopped)/, 'red'],
  [/^#\d+ .* failed|\bfailed\b.*\(exit/, 'yellow'],
];

/** Whether a call is one of those that were asked for. */
function isListed(call: CallAccount, { denied, failed }: Options): boolean {
  if (!denied && !failed) return true;
  const { status = '', late, failed: hooks } = storyOf(call);
  const isDenied = ['blocked', 'stopped', 'refused'].includes(status) || late.length > 0;
  return (
    (denied === true && isDenied) || (failed === true && (status === 'failed' || hooks.length > 0))
  );
}

/** Keeps only the printed text of each call, since a recording may hold a great many. */
async function list(calls: AsyncIterable<CallAccount>, options: Options): Promise<string> {
  const { json } = options;
  const found: { index: number; text: string }[] = [];
  for await (const call of calls)
    if (isListed(call, options))
      found.push({ index: call.index, text: json ? printableJson(call) : listed(call) });
  const texts = found.toSorted((a, b) => a.index - b.index).map(({ text }) => text);
  if (json) return `[${texts.join(',\n')}]\n`;
  return texts.length === 0 ? 'Nothing was called.\n' : `${texts.join('\n')}\n`;
}

async function statistics(calls: AsyncIterable<CallAccount>, json?: boolean): Promise<string> {
  const counter = new CostCounter();
  const stats = await hookStats(counter.passing(calls));
  if (json) return `${printableJson(stats, 2)}\n`;
  if (stats.length === 0) return 'No hook ran.\n';
  const rows = [['runs', 'denied', 'failed', 'p50', 'p95', 'added', 'hook'], ...stats.map(row)];
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((cells) => cells[at]!.length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === cells.length - 1 ? cell : cell.padStart(widths[at]!)))
      .join('  ');
  return `${rows.map(line).join('\n')}\n${costInWords(counter.cost)}\n`;
}

const row = (hook: HookStats): string[] => [
  ...[hook.runs, hook.denials, hook.failures].map(String),
  ...[hook.p50, hook.p95, hook.addedMs].map((duration) => `${Math.round(duration)} ms`),
  oneLine(
    shown(
      `${hook.event} "${hook.name}"${hook.source === undefined ? '' : ` (${hook.source}, ${hook.dialect})`}`,
    ),
    150,
  ),
];

async function one(
  file: string,
  calls: AsyncIterable<CallAccount>,
  wanted: string,
  json?: boolean,
): Promise<string> {
  const found = await findCalls(calls, wanted);
  if (found.length === 0)
    throw new CommandFailure(
      `${file}: there is no call "${wanted}"; without one, hookmachine explain lists them`,
    );
  if (json) return `${printableJson(found, 2)}\n`;
  return `${found.map((call) => [title(call), ...explain(call)].map(shown).join('\n')).join('\n\n')}\n`;
}

function tellSkipped(file: string, skipped: readonly SkippedLine[], count: number): void {
  const more = count - skipped.length;
  const lines = skipped.map(
    ({ line, message }) => `line ${line} ${message}, so it was skipped; ${fixOfSkipped}`,
  );
  if (more > 0) lines.push(`${counted(more, 'more line was', 'more lines were')} skipped`);
  for (const line of lines)
    process.stderr.write(`hookmachine: ${oneLine(printable(`${file}: ${line}`))}\n`);
}

/** Recorded text may come from strangers, and each line must stay one line. */
const shown = (line: string): string => printable(line.trimEnd().replaceAll(/\s*\n\s*/g, ' | '));

const kinds: Readonly<Record<string, string>> = {
  agentTurn: 'turn',
  modelCall: 'model call',
  toolCall: 'tool call',
  hookEvent: 'event',
  answerStream: 'text',
  hookProcess: 'hook',
};

const idOf = ({ callId, id }: CallAccount): string => callId ?? id;

const timeOf = (at: number): string =>
  Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : 'an unknown time';

const tookOf = ({ startedAt, endedAt }: CallAccount): string[] =>
  endedAt === undefined ? [] : [`${Math.round(endedAt - startedAt)} ms`];

function title(call: CallAccount): string {
  const { index, machine, session, startedAt } = call;
  return `#${index} ${kinds[machine] ?? machine} ${idOf(call)}, session ${session}, ${[timeOf(startedAt), ...tookOf(call)].join(', ')}`;
}

/** Turns contain the calls that follow them, which are indented. */
function listed(call: CallAccount): string {
  const indent = call.machine === 'agentTurn' || call.parent === undefined ? '' : '  ';
  const target = targetOf(call.given);
  const about = [...(target === undefined ? [] : [target]), ...tookOf(call)].join(', ');
  const line = `#${call.index} ${indent}${kinds[call.machine] ?? call.machine} ${idOf(call)}${about === '' ? '' : ` (${about})`}: ${sentence(call)}`;
  return oneLine(shown(line), 200);
}

/** What a tool call is about, if that was recorded: its path or its command. */
function targetOf(given: unknown): string | undefined {
  if (!isRecord(given)) return undefined;
  const named = ['file_path', 'path', 'absolute_path', 'command', 'url', 'pattern'];
  const text = named.map((name) => given[name]).find((value) => typeof value === 'string');
  return text === undefined ? undefined : oneLine(text, 60);
}
