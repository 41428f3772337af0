import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../base/json.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import { settingsReader, type SettingsFile } from '../../settings/files/read-files.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import {
  foundHooks,
  hooksOfLevel,
  missingHooks,
  readLevels,
  switchFor,
  type HostLevel,
} from '../parts/host-levels.ts';
import { defineHooks, type CopilotHooks } from './define.ts';
import { copilotPoints, type CopilotPointName } from './events.ts';
import { hookFiles, installedPlugins, projectSettings } from './places.ts';

/**
 * Shared by all sessions: a file that breaks while an agent works still counts with its last good
 * content.
 */
const read = settingsReader();

/** Finds the hooks of files, settings and plugins, except those that a switch turns off. */
export function findHooks(site: HookSite, policies: string): FoundHooks {
  const places = hookFiles(site.cwd, policies);
  const open = places.filter(
    ({ source, file, fault }) => source === 'system' && !fault && othersMayWrite(file),
  );
  const levels = readLevels(
    places.filter((place) => !open.includes(place)),
    site,
    read,
  );
  const plugins = enabledPlugins();
  const settings = new Set(projectSettings(site.cwd));
  const projects = levels.filter(({ file }) => settings.has(file));
  const off = switchFor(projects, 'project', switchKey, switchOf);
  const own = levels.filter((level) => settings.has(level.file) || !isOffAlone(level));
  return foundHooks<CopilotHooks>({
    site,
    sources: [...own.map(hooksOfLevel), ...plugins.hooks].map((from) => ({
      from,
      off: from.source === 'project' || from.source === 'extension' ? off : undefined,
    })),
    files: [...levels, ...plugins.files],
    guards: needGuards,
    isOff: (source) => source !== 'user' && off !== undefined,
    problems: [
      ...open.map(({ file }) => openProblem(file)),
      ...levels.flatMap(({ problems }) => problems),
      ...levels.flatMap(keyProblems),
      ...plugins.problems,
    ],
    define: defineHooks,
  });
}

/** The events that must not proceed while it is unknown what guards them. */
const needGuards = (
  ['preToolUse', 'permissionRequest', 'userPromptSubmitted'] satisfies CopilotPointName[]
).map((nativeEvent) => ({ event: copilotPoints[nativeEvent].at, nativeEvent }));

const switchKey = 'disableAllHooks';

const switchOf = ({ [switchKey]: word }: HostLevel['values']): boolean | undefined =>
  typeof word === 'boolean' ? word : undefined;

/** Whether a file switches off its own hooks; an administrator's cannot. */
const isOffAlone = ({ source, values }: HostLevel): boolean =>
  source !== 'system' && switchOf(values) === true;

/** Reports a version that does not exist and a switch of the wrong type. */
function keyProblems({ file, values, locate }: HostLevel): SettingsProblem[] {
  const problem = (key: string, fix: string): SettingsProblem[] => [
    {
      file,
      ...(locate && { at: locate([key]) }),
      place: key,
      message: `${said(values[key])}, so it was ignored`,
      fix,
    },
  ];
  return [
    ...('version' in values && 'hooks' in values && values['version'] !== 1
      ? problem('version', 'make it 1, or Copilot ignores the file')
      : []),
    ...(switchKey in values && switchOf(values) === undefined
      ? problem(switchKey, 'make it true or false')
      : []),
  ];
}

/** Whether users other than its owner may write a policy, so that Copilot does not accept it as one. */
function othersMayWrite(file: string): boolean {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats !== undefined && (stats.mode & 0o022) !== 0;
  } catch {
    // The error is reported when the file is read.
    return false;
  }
}

const openProblem = (file: string): SettingsProblem => ({
  file,
  place: '',
  message: 'can be written by others, so this policy was ignored',
  fix: 'check it, then remove write access for others (chmod go-w)',
});

/** Reads the hooks of the plugins that are installed and enabled. */
function enabledPlugins(): {
  readonly hooks: readonly CopilotHooks[];
  readonly files: readonly HostLevel[];
  readonly problems: readonly SettingsProblem[];
} {
  const file = installedPlugins();
  const installed = file === undefined ? undefined : read(file, false);
  const list = installed?.values['installedPlugins'];
  const files: readonly HostLevel[] = installed ? [{ source: 'extension', ...installed }] : [];
  const wrong = installed?.problems ?? [];
  if (!Array.isArray(list)) return { hooks: [], files, problems: wrong };
  const found = list
    .filter(isRecord)
    .filter(({ enabled, cache_path }) => enabled !== false && typeof cache_path === 'string')
    .flatMap(({ cache_path }) => hooksOfPlugin(cache_path as string));
  return {
    hooks: found.map(({ from }) => from),
    files: [...files, ...found.map(({ level }) => level)],
    problems: [...wrong, ...found.flatMap(({ level }) => level.problems)],
  };
}

/** Returns a plugin's hook files, the usual ones and what its manifest names; its hooks run in its folder. */
function hooksOfPlugin(
  folder: string,
): { readonly from: CopilotHooks; readonly level: HostLevel }[] {
  const manifest = join(folder, 'plugin.json');
  const hooks: unknown = read(manifest, false)?.values['hooks'];
  const named =
    typeof hooks === 'string' ? join(folder, hooks) : isRecord(hooks) ? manifest : undefined;
  const files = new Set([
    join(folder, 'hooks.json'),
    join(folder, 'hooks', 'hooks.json'),
    ...(named === undefined ? [] : [named]),
  ]);
  const env = { PLUGIN_ROOT: folder, COPILOT_PLUGIN_ROOT: folder, CLAUDE_PLUGIN_ROOT: folder };
  return [...files].flatMap((file) => {
    const found =
      read(file, false) ??
      (file === named ? { file, values: {}, problems: [missingHooks(file)] } : undefined);
    if (found === undefined || found.values[switchKey] === true) return [];
    const { values, locate }: SettingsFile = found;
    const from = {
      source: 'extension',
      file,
      locate,
      hooks: values['hooks'],
      env,
      folder,
    } as const;
    return [{ from, level: { source: 'extension', ...found } }];
  });
}
