import { realpathSync } from 'node:fs';
import type { HookSource } from '../protocol/events.ts';
import type { HooksFromSource } from './define-hooks.ts';
import { readExtensions } from './extensions.ts';
import { projectSettingsFile, systemSettingsFile, userSettingsFile } from './levels.ts';
import type { SettingsProblem } from './problem.ts';
import { folderReader, type ReadFolders } from './read-folders.ts';
import { settingsReader, type ReadSettingsFile, type SettingsFile } from './read-settings-file.ts';
import { disabledHooks, hooksEnabled, switchProblems } from './switches.ts';

/** All levels of settings together. */
export interface LoadedSettings {
  /** Whether hooks are switched on; undefined where nothing is said of it. */
  readonly enabled: boolean | undefined;
  /** Where hooks come from, the strongest source first. */
  readonly sources: readonly HooksFromSource[];
  readonly disabled: readonly DisabledHooks[];
  /** What was wrong with the files themselves; the hooks in them are checked by the registry. */
  readonly problems: readonly SettingsProblem[];
}

/** Names and commands of hooks that one source disables. */
export interface DisabledHooks {
  readonly source: HookSource;
  readonly names: readonly string[];
}

/** Reads the project's, the user's and the system's settings, and what extensions bring (HOOK-084; C-09). */
export function loadSettings(
  cwd: string,
  read: ReadSettingsFile = settingsReader(),
  foldersIn: ReadFolders = folderReader(),
): LoadedSettings {
  const levels = files(cwd).flatMap(({ source, file }) => {
    const found = read(file);
    return found ? [{ source, ...found }] : [];
  });
  const extensions = readExtensions(cwd, read, foldersIn);
  const valuesOf = (source: HookSource): SettingsFile['values'] =>
    levels.find((level) => level.source === source)?.values ?? {};
  return {
    // An administrator's word stands; else the project's goes before the user's.
    enabled: hooksEnabled([valuesOf('system'), valuesOf('project'), valuesOf('user')]),
    sources: [
      ...levels.map(({ source, file, values, locate }) => ({
        source,
        file,
        hooks: values['hooks'],
        locate,
      })),
      ...extensions.sources,
    ],
    disabled: levels.map(({ source, values }) => ({ source, names: disabledHooks(values) })),
    problems: [
      ...levels.flatMap((level) => [...level.problems, ...switchProblems(level)]),
      ...extensions.problems,
    ],
  };
}

/** A file that serves two levels counts at the last: in the home folder the project's is the user's. */
function files(cwd: string): { source: HookSource; file: string }[] {
  const user = userSettingsFile();
  const all: { source: HookSource; file: string }[] = [
    { source: 'project', file: projectSettingsFile(cwd) },
    ...(user === undefined ? [] : [{ source: 'user', file: user } as const]),
    { source: 'system', file: systemSettingsFile() },
  ];
  const byPath = new Map(all.map((level) => [realPath(level.file), level]));
  return all.filter((level) => byPath.get(realPath(level.file)) === level);
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
