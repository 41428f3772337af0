import { hostname } from 'node:os';
import type { Command } from 'commander';
import { builtInTools } from '../../agent/tools/index.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import { presentDialects } from '../../hosts/all/known.ts';
import { connectDurable, type Durable } from '../../durable/connect.ts';
import { type Bearer, hubAccess } from '../../durable/hub-access.ts';
import type { StorePlace } from '../../durable/open-store.ts';
import {
  type CallRecords,
  type DurableRecords,
  openHub,
  openRecords,
} from '../../durable/records.ts';
import {
  type DurableSettings,
  durableSettings,
  type ReadDurableSettings,
  timeIn,
} from '../../durable/settings.ts';
import { isHookmachineError } from '../../base/errors.ts';
import { createConfig } from '../../hosts/system/create-config.ts';
import { warn, warnPlainly } from '../../base/log.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { dialectsOption } from './dialects-option.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';
import { allowGuardWritesOption } from './guard-writes-option.ts';
import { projectFolder } from './project-folder.ts';
import { addRecordingOptions, recorded, type RecordingOptions } from './recording-option.ts';
import { reportMissingGuards } from '../../hosts/relay/report-missing.ts';
import { sessionNotes } from '../../hosts/relay/session-notes.ts';
import { onlyTrusted, trustOption } from '../../hosts/relay/trust-option.ts';

/**
 * The variable that names the database: a password does not belong on a command line, which others can read.
 */
export const databaseVariable = 'HOOKMACHINE_DATABASE_URL';

/** The variable with the keys that payloads are encrypted with. */
export const keyVariable = 'HOOKMACHINE_DURABLE_KEY';

/** Reads the user's and the system's settings, and reports their problems. */
function settingsHere(): ReadDurableSettings {
  const read = durableSettings();
  for (const problem of read.problems) warn(undefined, formatProblem(problem));
  return read;
}

/** @throws {CommandFailure} if no database is named */
export const databaseUrl = (): string => databaseIn(settingsHere());

/** The administrator's settings come first, then the environment, then the user's settings. */
function databaseIn({ settings, systemDatabase }: ReadDurableSettings): string {
  // An empty variable counts as unset.
  const url = systemDatabase ?? (process.env[databaseVariable] || settings.database);
  if (url === undefined || url === '')
    throw new CommandFailure(
      `${databaseVariable} is not set: make it the URL of a PostgreSQL database, such as postgres://localhost/hookmachine, or name one as hooksConfig.durable.database in ~/.hookmachine/settings.json, or join a hub: hookmachine hub join`,
    );
  return url;
}

/** Where calls are kept as seen from here. */
export interface PlaceHere {
  readonly place: StorePlace;
  /** The name of this machine: as its hub knows it, or its own. */
  readonly machine: string;
  readonly settings: DurableSettings;
}

/**
 * Returns where calls are kept. The administrator's database comes first, then the one in the environment, then
 * the hub that this machine has joined, then the user's database.
 *
 * @throws {CommandFailure} if there is none
 */
export function placeHere(bearer: Bearer = 'machine'): PlaceHere {
  const read = settingsHere();
  const { settings } = read;
  const isNamed = read.systemDatabase !== undefined || Boolean(process.env[databaseVariable]);
  const hub = isNamed ? undefined : hubHere(bearer);
  const key = process.env[keyVariable] || undefined;
  if (hub) return { place: { hub, key }, machine: hub.name ?? hostname(), settings };
  return { place: { database: databaseIn(read), key }, machine: hostname(), settings };
}

/** A person on a machine that has joined a hub can read there what the machine can. */
const hubHere = (bearer: Bearer) =>
  bearer === 'person' ? (hubAccess('person') ?? hubAccess('machine')) : hubAccess('machine');

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
  readonly workspaceConcurrency?: string;
}

/** Adds these options to a command. */
export const addHostOptions = (command: Command): Command =>
  addRecordingOptions(command)
    .option('--cwd <dir>', 'the project folder, which tools act on', process.cwd())
    .option(
      '--workspace <name>',
      'what the tools act on (default: this machine and the project folder)',
    ) // prettier-ignore
    .option('--name <name>', 'the name of this host, unique among live hosts')
    .option(
      '--expires-after <time>',
      'how long a question waits, such as 7d, 12h, 30m, 90s (default: 7d)',
    ) // prettier-ignore
    .option(
      '--lost-after <time>',
      'how long this host may be without the database before others take over (default: 30s)',
    )
    .option(...dialectsOption)
    .option(...trustOption)
    .option(...allowGuardWritesOption);

/** The workspace of a command, as its options or the settings name it. */
export const workspaceIn = (
  options: HostOptions,
  { settings, machine }: Pick<PlaceHere, 'settings' | 'machine'>,
): string =>
  options.workspace ?? settings.workspace ?? workspaceOf(projectFolder(options.cwd), machine);

/** The default name of a folder's workspace: the same path on two machines is two workspaces. */
export const workspaceOf = (folder: string, machine: string): string => `${machine}:${folder}`;

/**
 * Joins the hosts of a workspace.
 *
 * @throws {CommandFailure} if no database is named, or an option is invalid
 */
export async function durableHost(options: HostOptions, watch = false): Promise<Durable> {
  const { dialects = presentDialects, trust } = options;
  const here = placeHere();
  const { settings } = here;
  const folder = projectFolder(options.cwd);
  const limits = {
    expiresAfter: timeOf('--expires-after', options.expiresAfter) ?? settings.expiresAfter,
    lostAfter: timeOf('--lost-after', options.lostAfter) ?? settings.lostAfter,
    concurrency: countOf('--concurrency', options.concurrency) ?? settings.concurrency,
    workspaceConcurrency:
      countOf('--workspace-concurrency', options.workspaceConcurrency) ??
      settings.workspaceConcurrency,
    requireStandby: settings.requireStandby,
  };
  await reportMissingGuards(folder);
  const watching = await recorded(folder, options);
  const config = createConfig({
    cwd: folder,
    dialects,
    watch,
    onNote: sessionNotes((line) => warnPlainly(watching.onWarning, line)),
    ...onlyTrusted(folder, trust),
    ...watching,
  });
  return connectDurable({
    ...here.place,
    config,
    tools: builtInTools(),
    workspace: workspaceIn(options, here),
    name: options.name,
    allowGuardWrites: options.allowGuardWrites,
    ...limits,
  });
}

/** Runs work with the records of the database, and closes them. */
export const withRecords = (work: (records: DurableRecords) => Promise<void>): Promise<void> =>
  reported(async () => {
    const records = await openRecords(databaseUrl());
    try {
      await work(records);
    } finally {
      await records.close();
    }
  });

/** Runs work with the calls and questions of the database or the hub, and closes them. */
export const withCalls = (
  work: (records: CallRecords, here: PlaceHere) => Promise<void>,
  bearer: Bearer = 'person',
): Promise<void> =>
  reported(async () => {
    const here = placeHere(bearer);
    const { hub, database, key } = here.place;
    const records = hub ? await openHub(hub, { key }) : await openRecords(database!, { key });
    try {
      await work(records, here);
    } finally {
      await records.close();
    }
  });

/** Runs a command's work; a failure becomes one line and exit status 1. */
export async function reported(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isHookmachineError(error) || error.code === 'COMMAND_FAILED') throw error;
    throw new CommandFailure(error.message, { cause: error });
  }
}

/** @throws {CommandFailure} if the option's value is not a time */
export function timeOf(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const time = timeIn(given);
  if (time === undefined) throw new CommandFailure(`${option} ${given}: write a time such as 7d, 12h, 30m or 90s`); // prettier-ignore
  return time;
}

/** @throws {CommandFailure} if the option's value is not a count */
export function countOf(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const count = Number(given);
  if (!Number.isInteger(count) || count < 1)
    throw new CommandFailure(`${option} ${given}: make it a whole number of at least 1`);
  return count;
}
