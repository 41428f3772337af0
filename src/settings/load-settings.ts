import { realpathSync } from 'node:fs';
import type { HookSource } from '../protocol/events.ts';
import type { HooksFromSource } from './define-hooks.ts';
import { readExtensions } from './extensions.ts';
import {
  extensionsFolder,
  projectSettingsFile,
  systemSettingsFile,
  userSettingsFile,
} from './levels.ts';
import type { SettingsProblem } from './problem.ts';
import { readSettingsFile, type SettingsFile } from './read-settings-file.ts';
import { disabledHooks, hooksEnabled, switchProblems } from './switches.ts';

/** All levels of settings together. */
export interface LoadedSettings {
  readonly enabled: boolean;
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
export function loadSettings(cwd: string): LoadedSettings {
  const project = projectSettingsFile(cwd);
  const user = userSettingsFile();
  // In the home folder itself both are one file, and it is the user's.
  const files: [HookSource, string][] = [
    ...(isSameFile(project, user) ? [] : [['project', project] satisfies [HookSource, string]]),
    ['user', user],
    ['system', systemSettingsFile()],
  ];
  const levels = files.flatMap(([source, file]) => {
    const found = readSettingsFile(file);
    return found ? [{ source, ...found }] : [];
  });
  const extensions = readExtensions(extensionsFolder());
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
        locate: (path: readonly (string | number)[]) => locate(['hooks', ...path]),
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

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
