import { join } from 'node:path';
import { isRecord, inTable } from '../../base/json.ts';
import { said } from '../../base/message-of.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import type { HookSite } from '../../core/dialects/hook-site.ts';
import { inSeconds } from '../../core/dialects/writer.ts';
import type { HookSource } from '../../core/protocol/events.ts';
import { settingsReader } from '../../settings/files/read-files.ts';
import {
  defineHooks,
  type Given,
  type HookFormat,
  type KnownEntry,
  secondsIn,
} from '../parts/define-hooks.ts';
import { isFlag, isShell } from '../parts/hook-groups.ts';
import {
  aFlag,
  flagIn,
  foundHooks,
  hooksOfLevel,
  hooksOfPlugins,
  onlyManaged,
  pluginHooks,
  type HostLevel,
  type OffSwitch,
  readLevels,
  switchFor,
  wrongKeys,
} from '../parts/host-levels.ts';
import type { HostPlace } from '../parts/host-places.ts';
import { parseRule } from '../parts/permission-rules.ts';
import {
  claudeEvents,
  failsOpenAt,
  toolEvents,
  traitsOf,
  usualSeconds,
  type ClaudeEventName,
} from './events.ts';
import { matcherFault } from './matcher.ts';
import { installedPlugins } from './places.ts';

/** The hooks of one file, and what its hooks may name and reach. */
interface ClaudeHooks extends HooksFromSource {
  /** The folders that `${NAME}` stands for in `args`, by name. */
  readonly folders: Readonly<Record<string, string>>;
  /** The URLs that http hooks may post to, and the variables that their headers may use, if listed. */
  readonly allowedUrls?: readonly string[] | undefined;
  readonly allowedEnv?: readonly string[] | undefined;
}

/** How Claude Code's settings describe a hook. */
export const format: HookFormat<ClaudeEventName, ClaudeHooks> = {
  host: 'Claude Code',
  events: claudeEvents.names,
  traitsOf,
  example: 'PreToolUse',
  matcherFault: (event, matcher) => traitsOf(event).subject && matcherFault(matcher),
  matcherFix:
    'write names such as "Write|Edit", or a regular expression; a permission rule belongs in the "if" of a hook',
  entry: {
    runs: { command: 'command', http: 'url', prompt: 'prompt' },
    inGroups: true,
    fields: {
      args: 'args',
      if: 'if',
      async: 'async',
      wakes: 'asyncRewake',
      model: 'model',
      headers: 'headers',
      allowedEnv: 'allowedEnvVars',
    },
    onBlock: { onFailure: 'block' },
    blocksAt: (event) => !failsOpenAt.has(event as ClaudeEventName),
    onAllow: { onFailure: 'continue' },
    saysShell: true,
    timeout: inSeconds,
    fault: ({ type }, event) =>
      type === 'http' && event === 'SessionStart'
        ? 'there are no hooks of type "http" at SessionStart'
        : undefined,
  },
  otherKeys: ['shell', 'once', 'statusMessage', 'onFailure'],
  more(entry, { args, async: isAsyncCommand = false, allowedEnv: named = [] }) {
    const { event, kind, command, field, from } = entry;
    const inPlace = (text: string): string =>
      text.replaceAll(
        /\$\{(\w+)\}/g,
        (whole, name: string) => inTable(from.folders, name) ?? whole,
      );
    const isAsync =
      kind === 'command' ? isAsyncCommand : field('async', isFlag, 'true or false') === true;
    const wakes = field('asyncRewake', isFlag, 'true or false') === true;
    const shell = args ? undefined : field('shell', isShell, '"bash" or "powershell"');
    const { allowedEnv, allowedUrls = [command] } = from;
    return {
      timeout: secondsIn(entry, kind === 'prompt' ? 30 : usualSeconds(event)),
      ...(args && {
        command: inPlace(command),
        name: [command, ...args].join(' '),
        args: args.map(inPlace),
      }),
      // The system's own shell unless the hook names one.
      shell: kind === 'command' && !args ? (shell ?? 'sh') : undefined,
      ...(kind === 'http' && {
        // A list in the settings narrows what the hook says.
        allowedEnvKey: 'allowedEnvVars',
        allowedEnv: allowedEnv ? named.filter((name) => allowedEnv.includes(name)) : named,
        allowedUrls,
      }),
      if: ruleIn(entry),
      async: isAsync || wakes || undefined,
      wakes: wakes || undefined,
      ...onFailureOf(entry, isAsync || wakes),
    };
  },
};

/** Returns a hook's rule; a rule that cannot be parsed does not keep the hook from running. */
function ruleIn({ event, fields: { if: rule }, path, complain }: KnownEntry<ClaudeEventName>) {
  if (rule === undefined) return undefined;
  const isRule = typeof rule === 'string' && parseRule(rule) !== undefined;
  if (!isRule || !toolEvents.has(event))
    complain(() => ({
      path: [...path, 'if'],
      ...(isRule
        ? {
            message: 'is checked only at tool events, so this hook never runs',
            fix: 'remove it',
          }
        : {
            message: `${said(rule)}, which is not a permission rule, so the hook runs for everything its matcher matches; Claude Code would never run it`,
            fix: 'write one rule, such as "Bash(git push *)"',
          }),
    }));
  return isRule ? rule : undefined;
}

const isFailureWord = (value: unknown): value is string =>
  value === 'block' || value === 'continue' || value === 'allow';

/** What a failure means: a word that is not known makes the hook a guard, as elsewhere. */
function onFailureOf(
  { event, field, fields, from }: KnownEntry<ClaudeEventName>,
  isAsync: boolean,
): Partial<Given> {
  const word = field('onFailure', isFailureWord, '"continue" or "block"; it counts as "block"');
  if (isAsync || failsOpenAt.has(event)) return { failsOpen: true };
  if (fields['onFailure'] === undefined) return { onFailure: from.onFailure };
  return word === 'continue' || word === 'allow' ? { failsOpen: true } : { onFailure: 'block' };
}

/** Shared by all sessions: a file that breaks while an agent works counts as it was before. */
const read = settingsReader();

/** Finds the hooks of settings and plugins, except those that a switch turns off. */
export function findHooks(site: HookSite, places: readonly HostPlace[]) {
  const levels = readLevels(places, site, read);
  const plugins = enabledPlugins(levels, site.cwd);
  const lists = {
    allowedUrls: listOf(levels, 'allowedHttpHookUrls'),
    allowedEnv: listOf(levels, 'httpHookAllowedEnvVars'),
  };
  const folders = { CLAUDE_PROJECT_DIR: site.cwd };
  const own = levels.map((level) => ({ ...hooksOfLevel(level), folders }));
  return foundHooks<ClaudeHooks>({
    site,
    sources: [...own, ...plugins.sources].map((from) => ({
      from: { ...from, ...lists },
      off: offFor(levels, from.source),
    })),
    files: [...levels, ...plugins.files],
    // They are denied while it is unknown which hooks guard them.
    guards: claudeEvents.guards('PreToolUse', 'PermissionRequest', 'UserPromptSubmit'),
    isOff: (source) => offFor(levels, source) !== undefined,
    problems: [
      ...levels.flatMap(({ problems }) => problems),
      ...levels.flatMap((level) =>
        wrongKeys(level, {
          [switchKey]: aFlag,
          [managedKey]: aFlag,
          enabledPlugins: [isRecord, 'make it an object: { "name@marketplace": true }'],
        }),
      ),
      ...plugins.problems,
    ],
    define: (from) => defineHooks(from, format),
  });
}

const switchKey = 'disableAllHooks';
const managedKey = 'allowManagedHooksOnly';

/** Returns the switch that turns a source's hooks off, if there is one. */
function offFor(levels: readonly HostLevel[], hooksOf: HookSource): OffSwitch | undefined {
  return (
    switchFor(levels, hooksOf, switchKey, (values) => flagIn(values[switchKey])) ??
    onlyManaged(levels, hooksOf, managedKey)
  );
}

/** Returns a list that restricts http hooks, from the strongest level that has one. */
function listOf(levels: readonly HostLevel[], key: string): readonly string[] | undefined {
  const found = levels.find(({ values }) => Array.isArray(values[key]))?.values[key];
  return (found as unknown[] | undefined)?.filter((item) => typeof item === 'string');
}

/** Reads the hooks of the enabled plugins that are installed for all projects or for this one. */
function enabledPlugins(levels: readonly HostLevel[], cwd: string) {
  const file = installedPlugins();
  const installed = file === undefined ? undefined : read(file, false);
  const { plugins } = installed?.values ?? {};
  const found = Object.entries(isRecord(plugins) ? plugins : {})
    .filter(([id]) => isEnabled(levels, id))
    .flatMap(([id, entries]) => {
      const folder = folderOf(entries, cwd);
      if (folder === undefined) return [];
      const env = {
        CLAUDE_PLUGIN_ROOT: folder,
        CLAUDE_PLUGIN_DATA: join(file!, '..', 'data', id.replaceAll(/[^\w-]/g, '-')),
      };
      const folders = { CLAUDE_PROJECT_DIR: cwd, ...env };
      const { usual, named } = hookFilesOf(folder);
      return pluginHooks([usual], named, read).map(({ level, from }) => ({
        level,
        from: from && { ...from, env, folders },
      }));
    });
  return hooksOfPlugins(installed, found);
}

/**
 * Whether a plugin is enabled: the administrator's word counts, or else that of the last level that has
 * one.
 */
function isEnabled(levels: readonly HostLevel[], id: string): boolean {
  const words = levels.flatMap(({ source, values: { enabledPlugins: enabled } }) => {
    const word = isRecord(enabled) ? enabled[id] : undefined;
    return typeof word === 'boolean' ? [{ source, word }] : [];
  });
  const system = words.findLast(({ source }) => source === 'system');
  return (system ?? words.at(-1))?.word === true;
}

/** Returns the folder of a plugin that is installed for this project or for all projects. */
function folderOf(entries: unknown, cwd: string): string | undefined {
  const known = [entries].flat().filter(isRecord);
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
  const names = [hooks].flat().filter((one) => typeof one === 'string');
  return { usual, named: names.map((name) => join(folder, name)).filter((one) => one !== usual) };
}
