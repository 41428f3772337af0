import { hostname } from 'node:os';
import type { Command } from 'commander';
import { builtInTools } from '../agent/tools/index.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { presentDialects } from '../dialects/index.ts';
import { connectDurable, type Durable } from '../durable/connect.ts';
import { type DurableRecords, openRecords } from '../durable/records.ts';
import { isHookmachineError } from '../errors.ts';
import { createConfig } from '../hooks/create-config.ts';
import { warn } from '../log.ts';
import { dialectsOption } from './dialects-option.ts';
import { CommandFailure } from './failure.ts';
import { allowGuardWritesOption } from './guard-writes-option.ts';
import { projectFolder } from './project-folder.ts';
import { addRecordingOptions, recorded, type RecordingOptions } from './recording-option.ts';
import { reportMissingGuards } from './report-missing.ts';
import { sessionNotes } from './session-notes.ts';
import { onlyTrusted, trustOption } from './trust-option.ts';

/** The variable that names the database: a password has no place on a command line, which others can read. */
export const databaseVariable = 'HOOKMACHINE_DATABASE_URL';

/** @throws {CommandFailure} where none is named */
export function databaseUrl(): string {
  const url = process.env[databaseVariable];
  if (url === undefined || url === '')
    throw new CommandFailure(
      `${databaseVariable} is not set: make it the URL of a PostgreSQL database, such as postgres://localhost/hookmachine`,
    );
  return url;
}

/** The options of a command that works on durable calls. */
export interface HostOptions extends RecordingOptions {
  readonly cwd: string;
  readonly dialects?: readonly Dialect[];
  readonly trust?: true;
  readonly allowGuardWrites?: true;
  readonly name?: string;
  readonly workspace?: string;
  readonly expiresAfter?: string;
  readonly lostAfter?: string;
  readonly concurrency?: string;
}

/** Adds them to a command. */
export const addHostOptions = (command: Command): Command =>
  addRecordingOptions(command)
    .option('--cwd <dir>', 'the project folder, which tools act on', process.cwd())
    .option(
      '--workspace <name>',
      'what the tools act on (default: this machine and the project folder)',
    ) // prettier-ignore
    .option('--name <name>', 'the name of this host, unique among those that live')
    .option(
      '--expires-after <time>',
      'how long a question waits, such as 7d, 12h, 30m, 90s (default: 7d)',
    ) // prettier-ignore
    .option('--lost-after <time>', 'a host that says nothing for so long has ended (default: 60s)')
    .option(...dialectsOption)
    .option(...trustOption)
    .option(...allowGuardWritesOption);

/** What a folder is called where nobody gave it a name: the same path on two machines is two workspaces. */
export const workspaceOf = (folder: string): string => `${hostname()}:${folder}`;

/**
 * Joins the hosts of a workspace.
 *
 * @throws {CommandFailure}
 */
export async function durableHost(options: HostOptions, watch = false): Promise<Durable> {
  const { dialects = presentDialects, trust } = options;
  const database = databaseUrl();
  const folder = projectFolder(options.cwd);
  const limits = {
    ...timeIn('expiresAfter', '--expires-after', options.expiresAfter),
    ...timeIn('lostAfter', '--lost-after', options.lostAfter),
    ...concurrencyIn(options.concurrency),
  };
  await reportMissingGuards(folder);
  const watching = await recorded(folder, options);
  const config = createConfig({
    cwd: folder,
    dialects,
    watch,
    onNote: sessionNotes((line) => warn(watching.onWarning, line)),
    ...onlyTrusted(folder, trust),
    ...watching,
  });
  return connectDurable({
    database,
    config,
    tools: builtInTools(),
    workspace: options.workspace ?? workspaceOf(folder),
    name: options.name,
    allowGuardWrites: options.allowGuardWrites,
    ...limits,
  });
}

/** Does something with the records of the database, and closes them. */
export async function withRecords(work: (records: DurableRecords) => Promise<void>): Promise<void> {
  await reported(async () => {
    const records = await openRecords(databaseUrl());
    try {
      await work(records);
    } finally {
      await records.close();
    }
  });
}

/** What keeps a command from its work is one line, and status 1. */
export async function reported(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isHookmachineError(error) || error.code === 'COMMAND_FAILED') throw error;
    throw new CommandFailure(error.message, { cause: error });
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

function timeIn<Key extends string>(
  key: Key,
  option: string,
  given: string | undefined,
): Partial<Record<Key, number>> {
  if (given === undefined) return {};
  const [, count, unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(given) ?? [];
  const time = Number(count) * (units[unit] ?? Number.NaN);
  if (!(time > 0)) throw new CommandFailure(`${option} ${given}: write a time such as 7d, 12h, 30m or 90s`); // prettier-ignore
  return { [key]: time } as Record<Key, number>;
}

function concurrencyIn(given: string | undefined): { readonly concurrency?: number } {
  if (given === undefined) return {};
  const concurrency = Number(given);
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new CommandFailure(`--concurrency ${given}: make it a whole number of at least 1`);
  return { concurrency };
}
