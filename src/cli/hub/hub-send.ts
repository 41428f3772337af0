import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { counted } from '../../base/counted.ts';
import { isMissing } from '../../base/errors.ts';
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
  readonly json?: true;
}

/** `hookmachine hub send`: what this machine decided alone, and which agents it guards. */
export function addSend(hub: Command): void {
  hub
    .command('send')
    .description(
      'send the audit log of this user and the state of the agents to the hub; run it from time to time',
    )
    .option('--log <file...>', "audit logs (default: the one that the system's settings name)")
    .option('--json', 'as one JSON object')
    .action((options: SendOptions) => reported(() => send(options)));
}

async function send({ log, json }: SendOptions): Promise<void> {
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
    let lines = 0;
    for (const file of (log ?? auditLog()).flatMap(withPredecessors))
      lines += await sendLog(link, file);
    print(
      json
        ? `${printableJson({ agents: agents.length, lines })}\n`
        : printable(`the state of ${counted(agents.length, 'agent')} and ${counted(lines, 'record')} were sent\n`), // prettier-ignore
    );
  } finally {
    await link.close();
  }
}

/** The audit log of this user; none if the system's settings name none. */
function auditLog(): readonly string[] {
  const file = managedHere().audit?.file;
  return file === undefined ? [] : [file.replaceAll('%u', userInfo().username)];
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

/** Sends what the hub does not have of a log, and returns the number of lines. */
async function sendLog(link: HubLink, file: string): Promise<number> {
  let opened: number;
  try {
    opened = openSync(file, 'r');
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
  try {
    // A file that is put aside keeps its number.
    const { dev, ino } = fstatSync(opened);
    const source = `${dev}:${ino}`;
    let from = Number(await link.ask('intake/position', { source }));
    const buffer = Buffer.alloc(chunk);
    for (let total = 0; ;) {
      const size = readSync(opened, buffer, 0, chunk, from);
      const end = buffer.subarray(0, size).lastIndexOf(10) + 1;
      if (end === 0) return total;
      const lines = buffer.subarray(0, end).toString().split('\n').slice(0, -1);
      const to = from + end;
      const reached = Number(await link.ask('intake', { source, from, to, lines }));
      if (reached === to) total += lines.length;
      from = reached;
    }
  } finally {
    closeSync(opened);
  }
}
