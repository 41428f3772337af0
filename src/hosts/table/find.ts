import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { defined, isRecord } from '../../base/json.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import {
  checkEntries,
  type Checked,
  type Complain,
  discarded,
  placeOf,
} from '../../core/definitions/problem.ts';
import { hookPointOf } from '../../core/points/hook-points.ts';
import { type ReadSettingsFile, settingsReader } from '../../settings/files/read-files.ts';
import {
  fieldReader,
  type GroupEntry,
  isFlag,
  isSeconds,
  isText,
  longestTimeout,
  reportSeconds,
} from '../parts/hook-groups.ts';
import { foundHooks, type HostLevel, readLevels } from '../parts/host-levels.ts';
import { filesOf } from './places.ts';
import type { LoadedDialect } from './host-table.ts';

/** By host, shared by all sessions: a file that breaks while an agent works counts as it was before. */
const readers = new Map<string, ReadSettingsFile>();

function readerOf({ name, format }: LoadedDialect): ReadSettingsFile {
  const known = readers.get(name);
  if (known !== undefined) return known;
  const made = settingsReader(format);
  readers.set(name, made);
  return made;
}

/** Finds the hooks in a host's files. */
export function findHooks(of: LoadedDialect, site: HookSite): FoundHooks {
  if (of.areExecutables) return foundExecutables(of, site);
  const levels = readLevels(filesOf(of.places, site.cwd), site, readerOf(of));
  const known = levels.filter(({ broken }) => broken === undefined || broken.isStale);
  return foundHooks({
    site,
    sources: known.map((level) => ({ from: { ...level, hooks: undefined }, off: undefined })),
    files: levels,
    guards: Object.entries(of.events)
      .filter(([, { at }]) => hookPointOf(at).needsGuards)
      .map(([nativeEvent, { at }]) => ({ event: at, nativeEvent })),
    problems: levels.flatMap(({ problems }) => problems),
    define: (level) => defineHooks(of, level),
  });
}

/** Finds the executables that are hooks by being there. */
function foundExecutables(of: LoadedDialect, site: HookSite): FoundHooks {
  const files = filesOf(of.places, site.cwd)
    .filter(({ source }) => source !== 'project' || site.ignoresProject !== true)
    .filter(({ file }) => isExecutable(file));
  const definitions = files.map(({ source, file }): HookDefinition => {
    const event = basename(file);
    return {
      event: of.events[event]!.at,
      nativeEvent: event,
      type: 'command',
      command: file,
      args: [],
      name: file,
      timeout: of.timeout,
      sequential: false,
      source,
      file,
      place: '',
      env: {},
    };
  });
  return { definitions, problems: [], unasked: [] };
}

function isExecutable(file: string): boolean {
  try {
    const stats = statSync(file);
    return stats.isFile() && (stats.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** Checks a file entry by entry: a bad one is skipped, and the others still count. */
const defineHooks = (of: LoadedDialect, level: HostLevel): Checked<HookDefinition> =>
  checkEntries(level, (complain) => defineAll(of, level, complain));

function* defineAll(
  of: LoadedDialect,
  level: HostLevel,
  complain: Complain,
): Generator<HookDefinition> {
  for (const entry of of.entries(level.values, complain)) {
    const definition = defineHook(of, entry, level, complain);
    if (definition) yield definition;
  }
}

function defineHook(
  of: LoadedDialect,
  entry: GroupEntry<string>,
  { source, file }: HostLevel,
  complain: Complain,
): HookDefinition | undefined {
  const { event, matcher, hook, path, lost } = entry;
  const discard = (field: string | undefined, value: unknown, fix: string): undefined =>
    discarded(complain, lost, field === undefined ? path : [...path, field], value, fix);
  if (!isRecord(hook)) return discard(undefined, hook, 'make it an object: { "command": "…" }');
  const { type = 'command', command } = hook;
  if (type !== 'command')
    return discard('type', type, `make it "command", which is all ${of.title} has`);
  if (!isText(command) || !/\S/.test(command))
    return discard('command', command, 'say what to run: "command": "…"');
  reportSeconds(hook['timeout'], path, 'timeout', complain);
  const field = fieldReader(hook, path, complain);
  const seconds = field('timeout', isSeconds, 'a positive number of seconds');
  const { at, subject } = of.events[event]!;
  return {
    event: at,
    nativeEvent: event,
    type,
    command,
    name: field('name', isText, 'a string') ?? command,
    timeout: Math.min(seconds === undefined ? of.timeout : seconds * 1_000, longestTimeout),
    sequential: false,
    source,
    file,
    place: placeOf(path),
    shell: of.shell,
    env: {},
    ...defined({
      matcher: subject === undefined ? undefined : matcher?.trim(),
      async: field('async', isFlag, 'true or false') === true || undefined,
    }),
    ...of.more?.(field, entry),
  };
}
