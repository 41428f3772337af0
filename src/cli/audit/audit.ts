import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { isMissing } from '../../base/errors.ts';
import { type AuditSummary, summarize } from '../../watch/audit/summary.ts';
import { linesOf } from '../../watch/journal/lines.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { printable, printableJson } from '../parts/printable.ts';
import { counted } from '../../base/counted.ts';
import { messageOf } from '../../base/message-of.ts';

interface Options {
  readonly json?: true;
  readonly machines?: string;
}

/** `hookmachine audit summary PATH…`: one summary of several audit logs. */
export function addAudit(program: Command): void {
  program
    .command('audit')
    .description('read audit logs, which an administrator can have every session write')
    .command('summary')
    .argument('<paths...>', 'logs, folders of logs, or - for stdin')
    .description(
      'say who was denied what, which hooks failed or were skipped, and which machines run without guards',
    )
    .option('--json', 'print JSON')
    .option('--machines <file>', 'names of the machines that are expected, one per line')
    .addHelpText(
      'after',
      `
A log is read together with its rotated predecessors. In a system log, records are found after the prefix of each
line.

Example:
  journalctl -t hookmachine -o cat | hookmachine audit summary -`,
    )
    .action(async (paths: readonly string[], { json, machines }: Options) => {
      const expected = machines === undefined ? [] : namesIn(machines);
      const summary = await summarize(linesIn(paths), expected);
      process.stdout.write(json ? `${printableJson(summary, 2)}\n` : `${shownSummary(summary)}\n`);
    });
}

/** A longer line cannot be an audit record. */
const longestLine = 1024 * 1024;

async function* linesIn(paths: readonly string[]): AsyncGenerator<string | undefined> {
  for (const file of paths.flatMap(filesAt))
    try {
      const chunks: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
      for await (const { text } of linesOf(chunks, longestLine)) yield text;
    } catch (cause) {
      throw new CommandFailure(`${file} cannot be read: ${messageOf(cause)}`, { cause });
    }
}

function filesAt(path: string): string[] {
  if (path === '-') return [path];
  try {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter((name) => /\.(?:jsonl|log)(?:\.\d+-\d+)?$/.test(name))
      .toSorted()
      .map((name) => join(path, name));
  } catch (cause) {
    if (isMissing(cause))
      throw new CommandFailure(
        `${path}: there is no such file or folder; pass the path that managed.audit.file in the system's settings names, or - for stdin`,
        { cause },
      );
    throw new CommandFailure(`${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function namesIn(file: string): string[] {
  try {
    const names = readFileSync(file, 'utf8').split('\n');
    return names.map((name) => name.trim()).filter((name) => name !== '' && !name.startsWith('#'));
  } catch (cause) {
    if (isMissing(cause))
      throw new CommandFailure(
        `--machines ${file}: there is no such file; write one that names one machine per line`,
        { cause },
      );
    throw new CommandFailure(`--machines ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

const section = (title: string, rows: readonly string[]): string[] =>
  rows.length === 0 ? [] : ['', title, ...rows.map((row) => `  ${row}`)];

const about = (text: string | undefined): string => (text === undefined ? '' : `: ${text}`);

/** A summary as people read it. */
export function shownSummary({
  denials,
  failures,
  usage,
  withoutGuards,
  missing,
  ...all
}: AuditSummary): string {
  const { lines, unread, machines, sessions, from, to } = all;
  const times = from === undefined ? '' : `, ${from} to ${to}`;
  return [
    `${counted(machines.length, 'machine')}, ${counted(sessions, 'session')}, ${counted(lines, 'record')}${times}`,
    ...(unread > 0
      ? [unread === 1 ? '1 line is not an audit record' : `${unread} lines are not audit records`]
      : []),
    ...section(
      'Denied',
      denials.map(
        ({ user, host, what, by, count, lastReason }) =>
          `${count}×  ${user} on ${host}  ${what}  by ${by}${about(lastReason)}`,
      ),
    ),
    ...section(
      'Failed or skipped',
      failures.map(
        ({ hook, source, host, status, count, lastError }) =>
          `${count}×  ${hook}${source === undefined ? '' : ` (${source})`} on ${host}  ${status}${about(lastError)}`,
      ),
    ),
    ...section(
      'Tokens used',
      usage.map(
        ({ user, host, model, count, input, cached, output }) =>
          `${count}×  ${user} on ${host}  ${model}  ${input.toLocaleString('en')} in (${cached.toLocaleString('en')} cached), ${output.toLocaleString('en')} out`,
      ),
    ),
    ...section(
      'Without system guards',
      withoutGuards.map(({ host, sessions: count }) => `${host}  ${counted(count, 'session')}`),
    ),
    ...section('Not seen', missing),
  ]
    .map((line) => printable(line.replaceAll('\n', String.raw`\n`)))
    .join('\n');
}
