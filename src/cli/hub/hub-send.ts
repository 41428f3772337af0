import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { counted } from '../../base/counted.ts';
import { isMissing } from '../../base/errors.ts';
import { ofUser } from '../../watch/audit/log-file.ts';
import type { JournalEntry } from '../../watch/journal/entry.ts';
import { headerOf } from '../../watch/journal/header.ts';
import { faultOf } from '../../watch/journal/is-entry.ts';
import { withoutPayloads } from '../../watch/journal/without-payloads.ts';
import { homeFolder } from '../../settings/files/levels.ts';
import { bundlePlaces } from '../../settings/files/levels.ts';
import { lookAtBundles } from '../../settings/bundles/look-at-bundles.ts';
import { hubAccess } from '../../durable/hub-access.ts';
import { HubLink } from '../../durable/hub-store.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { managedHere, requiredBundles } from '../../hosts/relay/managed-here.ts';
import { agentsAt, siteOf } from '../doctor/doctor.ts';
import { reported } from '../parts/durable-options.ts';
import { print } from '../parts/print.ts';
import { printable, printableJson } from '../parts/printable.ts';

/** How much of a log is sent at once, in bytes. */
const chunk = 1024 * 1024;

interface SendOptions {
  readonly log?: readonly string[];
  readonly recording?: readonly string[];
  readonly json?: true;
}

/** `hookmachine hub send`: what this machine decided alone, and which agents it guards. */
export function addSend(hub: Command): void {
  hub
    .command('send')
    .description(
      'send the audit log and the recording of this user and the state of the agents to the hub; run it from time to time',
    )
    .option('--log <file...>', "audit logs (default: the one that the system's settings name)")
    .option(
      '--recording <file...>',
      "recordings (default: the one that the system's settings name)",
    )
    .option('--json', 'as one JSON object')
    .action((options: SendOptions) => reported(() => send(options)));
}

async function send({ log, recording, json }: SendOptions): Promise<void> {
  const access = hubAccess('machine');
  if (access === undefined)
    throw new CommandFailure('this machine has not joined a hub: hookmachine hub join');
  const link = new HubLink(access);
  try {
    const agents = await agentsAt(siteOf(homeFolder() ?? '/'));
    const { states } = lookAtBundles(bundlePlaces(), requiredBundles());
    await link.ask('report', {
      agents: agents.map(({ agent, version, lastSeen, findings }) => ({
        agent,
        version,
        lastSeen,
        findings: findings.map(({ level, message }) => ({ level, message })),
      })),
      policies: states.flatMap(({ name, installed }) =>
        installed ? [`${name}@${installed.version}`] : [],
      ),
    });
    const { audit } = managedHere();
    const lines = await sendAll(link, 'intake', log ?? ownFile(audit?.file), (line) => line);
    const withPayloads = (await link.ask('recordings/payloads', {})) === true;
    const entries = await sendAll(
      link,
      'recordings',
      recording ?? ownFile(audit?.recording),
      (line) => sentEntry(line, withPayloads),
    );
    print(
      json
        ? `${printableJson({ agents: agents.length, lines, entries })}\n`
        : printable(`the state of ${counted(agents.length, 'agent')}, ${counted(lines, 'record')} and ${counted(entries, 'entry', 'entries')} of recordings were sent\n`), // prettier-ignore
    );
  } finally {
    await link.close();
  }
}

/** A file of this user; none if the system's settings name none. */
const ownFile = (path: string | undefined): readonly string[] =>
  path === undefined ? [] : [ofUser(path, userInfo().username)];

/** The longest line that a hub takes, in characters. */
const longestLine = 1_000_000;

/** Returns what the hub gets to see of a line of a recording; nothing of one that it cannot use. */
function sentEntry(line: string, withPayloads: boolean): string | undefined {
  if (withPayloads && line.length <= longestLine) return line;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (headerOf(value) !== undefined) return line;
  if (faultOf(value) !== undefined) return undefined;
  const bare = JSON.stringify(withoutPayloads(value as JournalEntry));
  return bare === undefined || bare.length > longestLine ? undefined : bare;
}

/** A log and those that it was put aside as, the oldest first. */
function withPredecessors(file: string): readonly string[] {
  try {
    const begin = `${basename(file)}.`;
    const old = readdirSync(dirname(file)).filter(
      (name) => name.startsWith(begin) && /^\d+-\d+$/.test(name.slice(begin.length)),
    );
    return [...old.toSorted().map((name) => join(dirname(file), name)), file];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Sends what the hub does not have of files, and returns the number of lines. */
async function sendAll(
  link: HubLink,
  to: 'intake' | 'recordings',
  files: readonly string[],
  shown: (line: string) => string | undefined,
): Promise<number> {
  let lines = 0;
  for (const file of files.flatMap(withPredecessors))
    lines += await sendFile(link, to, file, shown);
  return lines;
}

async function sendFile(
  link: HubLink,
  to: 'intake' | 'recordings',
  file: string,
  shown: (line: string) => string | undefined,
): Promise<number> {
  let opened: number;
  try {
    opened = openSync(file, 'r');
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
  try {
    const source = sourceOf(opened);
    if (source === undefined) return 0;
    let from = Number(await link.ask('intake/position', { source }));
    for (let total = 0; ;) {
      const piece = nextPiece(opened, from);
      if (piece === undefined) return total;
      const lines = piece.lines.map(shown).filter((line) => line !== undefined && line !== '');
      const reached = Number(await link.ask(to, { source, from, to: piece.end, lines }));
      if (reached === piece.end) total += lines.length;
      from = reached;
    }
  } finally {
    closeSync(opened);
  }
}

/**
 * Identifies a file, also after it was put aside: by its number, and by its first line, because the next file may get
 * the number of one that was removed. Undefined while it has no whole line.
 */
function sourceOf(file: number): string | undefined {
  const beginning = Buffer.alloc(longestBeginning);
  const read = beginning.subarray(0, readSync(file, beginning, 0, longestBeginning, 0));
  const end = read.indexOf(10);
  if (end === -1 && read.length < longestBeginning) return undefined;
  const { dev, ino } = fstatSync(file);
  const digest = createHash('sha256').update(end === -1 ? read : read.subarray(0, end));
  return `${dev}:${ino}:${digest.digest('hex').slice(0, 16)}`;
}

/** How much of a first line identifies a file, in bytes. */
const longestBeginning = 4_096;

/** Reads whole lines from a byte on, and where they end; a line that is longer than a chunk is left out. */
function nextPiece(
  file: number,
  from: number,
): { readonly lines: readonly string[]; readonly end: number } | undefined {
  const buffer = Buffer.alloc(chunk);
  for (let at = from; ;) {
    const size = readSync(file, buffer, 0, chunk, at);
    const read = buffer.subarray(0, size);
    if (at > from) {
      const end = read.indexOf(10) + 1;
      if (end > 0) return { lines: [], end: at + end };
    } else {
      const end = read.lastIndexOf(10) + 1;
      if (end > 0) {
        const lines = read.subarray(0, end).toString().split('\n').slice(0, -1);
        return { lines, end: from + end };
      }
    }
    if (size < chunk) return undefined;
    at += size;
  }
}
