import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { inSeconds } from '../../core/dialects/writer.ts';
import { hookPointOf } from '../../core/points/hook-points.ts';
import { type ReadSettingsFile, settingsReader } from '../../settings/files/read-files.ts';
import { defineHooks, type HookFormat, secondsIn } from '../parts/define-hooks.ts';
import { foundHooks, type HostLevel, readLevels } from '../parts/host-levels.ts';
import { filesOf } from './places.ts';
import type { LoadedDialect } from './host-table.ts';

/** A file of a host, whose table knows where its entries are. */
type HookLevel = HostLevel & Pick<HooksFromSource, 'hooks'>;

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
    define: (level) => defineHooks(level, formatOf(of)),
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

/** How the entries of a host's files become definitions. */
const formatOf = (of: LoadedDialect): HookFormat<string, HookLevel> => ({
  host: of.title,
  events: Object.keys(of.events),
  example: 'PreToolUse',
  traitsOf: (event) => of.events[event]!,
  entries: ({ values }, complain) => of.entries(values, complain),
  entry: {
    runs: { command: 'command' },
    inGroups: true,
    typeIsOptional: true,
    fields: { name: 'name', async: 'async' },
    timeout: inSeconds,
  },
  more: (entry) => ({
    timeout: secondsIn(entry, of.timeout / 1_000),
    shell: of.shell,
    ...of.more?.(entry.field, entry),
  }),
});
