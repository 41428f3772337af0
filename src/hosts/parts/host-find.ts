import type { HookEventName, HookSource } from '../../core/protocol/events.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { environmentFileFault } from '../../settings/files/levels.ts';
import type { Checked, SettingsProblem } from '../../core/definitions/problem.ts';
import {
  folderReader,
  settingsReader,
  type ReadSettingsFile,
  type SettingsFile,
} from '../../settings/files/read-files.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { hostExtensions, type HostExtension } from './host-extensions.ts';
import {
  foundHooks,
  hooksOfLevel,
  readLevels,
  type HostLevel,
  type OffSwitch,
} from './host-levels.ts';
import { extensionFiles, extensionsFolder, hostSettings, type HostFolder } from './host-places.ts';
import { environment } from '../../base/surroundings.ts';

/** How to find the hooks of a host that has settings and extensions. */
export interface HostFormat {
  readonly host: HostFolder;
  /** The events that are denied while it is unknown which hooks guard them. */
  readonly needGuards: readonly { readonly event: HookEventName; readonly nativeEvent?: string }[];
  /** The files of an extension that hold hooks, with their problems. */
  readonly filesOf: (extension: HostExtension, read: ReadSettingsFile) => readonly ExtensionFile[];
  /** The switch that turns a source's hooks off; undefined if none does. */
  readonly offFor: (levels: readonly HostLevel[], hooksOf: HookSource) => OffSwitch | undefined;
  /** The problems of switches whose value has the wrong type. */
  readonly switchProblems: (level: HostLevel) => readonly SettingsProblem[];
  /** The hooks of one file, checked. */
  readonly define: (from: HooksFromSource, levels: readonly HostLevel[]) => Checked<HookDefinition>;
}

/** A file of an extension: its hooks, and what is wrong with the file. */
export interface ExtensionFile extends SettingsFile {
  readonly hooks: HooksFromSource['hooks'];
}

/** Shared by all sessions: if a file becomes invalid while an agent works, its last good version counts. */
const read = settingsReader();
const foldersIn = folderReader();

/** Finds the hooks of settings and extensions, except those that a switch turns off. */
export function findHostHooks(site: HookSite, format: HostFormat): FoundHooks {
  const { host, needGuards, offFor, define, switchProblems } = format;
  const levels = readLevels(hostSettings(site.cwd, host), site, read);
  const added = addedFile(site, host);
  const extensions = extensionHooks(site.cwd, format);
  const own = [...levels, ...added.levels];
  return foundHooks<HooksFromSource>({
    site,
    sources: [...own.map(hooksOfLevel), ...extensions.sources].map((from) => ({
      from,
      off: offFor(levels, from.source),
    })),
    files: [...own, ...extensions.files],
    guards: needGuards,
    isOff: (source) => offFor(levels, source) !== undefined,
    problems: [
      ...own.flatMap(({ problems }) => problems),
      ...added.problems,
      ...levels.flatMap(switchProblems),
      ...extensions.problems,
    ],
    define: (from) => define(from, levels),
  });
}

/** Reads the file that the environment names, if it may add hooks. */
function addedFile(
  site: HookSite,
  { systemVariable }: HostFolder,
): { readonly levels: readonly HostLevel[]; readonly problems: readonly SettingsProblem[] } {
  const file = environment()[systemVariable];
  if (!file || site.ignoresAdded?.(systemVariable)) return { levels: [], problems: [] };
  const fault = environmentFileFault(systemVariable, file);
  return fault
    ? { levels: [], problems: [fault] }
    : { levels: readLevels([{ source: 'system', file }], site, read), problems: [] };
}

/** Reads the hooks in the files of extensions. */
function extensionHooks(
  cwd: string,
  { host, filesOf }: HostFormat,
): {
  readonly sources: readonly HooksFromSource[];
  readonly files: readonly HostLevel[];
  readonly problems: readonly SettingsProblem[];
} {
  const folder = extensionsFolder(host);
  if (folder === undefined) return { sources: [], files: [], problems: [] };
  const places = { folder, ...extensionFiles(host) };
  const { extensions, problems } = hostExtensions(places, cwd, read, foldersIn);
  const files = extensions
    // A folder without a manifest is not an extension.
    .filter((extension) => extension.manifest !== undefined)
    .flatMap((extension) => filesOf(extension, read).map((file) => ({ extension, file })));
  return {
    sources: files.map(({ extension: { path }, file: { file, locate, hooks } }) => ({
      file,
      locate,
      hooks,
      source: 'extension',
      env: { extensionPath: path, workspacePath: cwd },
    })),
    files: files.map(({ file }) => ({ ...file, source: 'extension' })),
    problems: [...problems, ...files.flatMap(({ file }) => file.problems)],
  };
}
