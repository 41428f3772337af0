import { join } from 'node:path';
import type { HookSource } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import type { Path, SettingsProblem } from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import { settingsReader } from '../../settings/files/read-files.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import {
  foundHooks,
  hooksOfLevel,
  missingHooks,
  readLevels,
  switchFor,
  type HostLevel,
  type OffSwitch,
} from '../parts/host-levels.ts';
import { defineHooks, type ClaudeHooks } from './define.ts';
import { claudeEvents } from './events.ts';
import { installedPlugins, settingsFiles } from './places.ts';

/**
 * Shared by all sessions: a file that breaks while an agent works still counts with its last good
 * content.
 */
const read = settingsReader();

/** Finds the hooks of settings and plugins, except those that a switch turns off. */
export function findHooks(site: HookSite, managed: string): FoundHooks {
  const levels = readLevels(settingsFiles(site.cwd, managed), site, read);
  const plugins = enabledPlugins(levels, site.cwd);
  const lists = {
    allowedUrls: listOf(levels, 'allowedHttpHookUrls'),
    allowedEnv: listOf(levels, 'httpHookAllowedEnvVars'),
  };
  const all: ClaudeHooks[] = [
    ...levels.map((level) => ({
      ...hooksOfLevel(level),
      folders: { CLAUDE_PROJECT_DIR: site.cwd },
    })),
    ...plugins.hooks,
  ];
  return foundHooks({
    site,
    sources: all.map((from) => ({ from: { ...from, ...lists }, off: offFor(levels, from.source) })),
    files: [...levels, ...plugins.files],
    guards: needGuards,
    isOff: (source) => offFor(levels, source) !== undefined,
    problems: [
      ...levels.flatMap(({ problems }) => problems),
      ...levels.flatMap(switchProblems),
      ...plugins.problems,
    ],
    define: defineHooks,
  });
}

/** The events that must not proceed while it is unknown what guards them. */
const needGuards = claudeEvents.guards('PreToolUse', 'PermissionRequest', 'UserPromptSubmit');

/** Returns the switch that turns a source's hooks off, if there is one. */
function offFor(levels: readonly HostLevel[], hooksOf: HookSource): OffSwitch | undefined {
  const off = switchFor(levels, hooksOf, switchKey, ({ [switchKey]: word }) =>
    typeof word === 'boolean' ? word : undefined,
  );
  if (off) return off;
  const only = levels.find(
    ({ source, values }) => source === 'system' && values[managedKey] === true,
  );
  return only && hooksOf !== 'system' ? { level: only, key: managedKey } : undefined;
}

const switchKey = 'disableAllHooks';
const managedKey = 'allowManagedHooksOnly';

/** Reports switches and lists of the wrong type. */
function switchProblems({ file, values, locate }: HostLevel): SettingsProblem[] {
  const problem = (path: Path, fix: string): SettingsProblem => ({
    file,
    ...(locate && { at: locate(path) }),
    place: String(path[0]),
    message: `${said(values[String(path[0])])}, so it was ignored`,
    fix,
  });
  return [
    ...[switchKey, managedKey]
      .filter((key) => key in values && typeof values[key] !== 'boolean')
      .map((key) => problem([key], 'make it true or false')),
    ...('enabledPlugins' in values && !isRecord(values['enabledPlugins'])
      ? [problem(['enabledPlugins'], 'make it an object: { "name@marketplace": true }')]
      : []),
  ];
}

/** Returns a list that restricts http hooks, from the strongest level that has one. */
function listOf(levels: readonly HostLevel[], key: string): readonly string[] | undefined {
  const list = levels.find(({ values }) => Array.isArray(values[key]))?.values[key];
  return (list as unknown[] | undefined)?.filter((item) => typeof item === 'string');
}

/** Reads the hooks of the enabled plugins that are installed for all projects or for this one. */
function enabledPlugins(
  levels: readonly HostLevel[],
  cwd: string,
): {
  readonly hooks: readonly ClaudeHooks[];
  readonly files: readonly HostLevel[];
  readonly problems: readonly SettingsProblem[];
} {
  const file = installedPlugins();
  const installed = file === undefined ? undefined : read(file, false);
  const plugins = installed?.values['plugins'];
  const files: HostLevel[] = installed ? [{ source: 'extension', ...installed }] : [];
  const hooks: ClaudeHooks[] = [];
  const problems = [...(installed?.problems ?? [])];
  if (!isRecord(plugins)) return { hooks, files, problems };
  for (const [id, entries] of Object.entries(plugins)) {
    if (!isEnabled(levels, id)) continue;
    const folder = folderOf(entries, cwd);
    if (folder === undefined) continue;
    const { usual, named } = hookFilesOf(folder);
    for (const path of new Set([usual, ...named])) {
      const found = read(path, false);
      if (found === undefined) {
        if (path !== usual) problems.push(missingHooks(path));
        continue;
      }
      problems.push(...found.problems);
      files.push({ source: 'extension', ...found });
      const env = {
        CLAUDE_PLUGIN_ROOT: folder,
        CLAUDE_PLUGIN_DATA: join(file!, '..', 'data', id.replaceAll(/[^\w-]/g, '-')),
      };
      hooks.push({
        source: 'extension',
        file: path,
        locate: found.locate,
        hooks: found.values['hooks'],
        env,
        folders: { CLAUDE_PROJECT_DIR: cwd, ...env },
      });
    }
  }
  return { hooks, files, problems };
}

/**
 * Whether a plugin is enabled: the administrator's word counts, or else that of the last level that has
 * one.
 */
function isEnabled(levels: readonly HostLevel[], id: string): boolean {
  const words = levels.flatMap(({ source, values }) => {
    const enabled = values['enabledPlugins'];
    const word = isRecord(enabled) ? enabled[id] : undefined;
    return typeof word === 'boolean' ? [{ source, word }] : [];
  });
  const system = words.findLast(({ source }) => source === 'system');
  return (system ?? words.at(-1))?.word === true;
}

/** Returns the folder of a plugin that is installed for this project or for all projects. */
function folderOf(entries: unknown, cwd: string): string | undefined {
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [entries];
  const known = list.filter(isRecord);
  const entry =
    known.find(({ projectPath }) => projectPath === cwd) ??
    known.find(({ projectPath }) => projectPath === undefined);
  const path = entry?.['installPath'];
  return typeof path === 'string' ? path : undefined;
}

/**
 * Returns a plugin's hook files: the usual one, which may be missing, and those that its manifest names; the
 * manifest itself if it holds hooks.
 */
function hookFilesOf(folder: string): { readonly usual: string; readonly named: string[] } {
  const usual = join(folder, 'hooks', 'hooks.json');
  const manifest = join(folder, '.claude-plugin', 'plugin.json');
  const hooks: unknown = read(manifest, false)?.values['hooks'];
  if (isRecord(hooks)) return { usual, named: [manifest] };
  const names = (Array.isArray(hooks) ? hooks : [hooks]).filter((one) => typeof one === 'string');
  return { usual, named: names.map((name) => join(folder, name)) };
}
