import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../base/json.ts';
import { environment } from '../../base/surroundings.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { settingsReader } from '../../settings/files/read-files.ts';
import { defineHooks, type HookFormat, secondsIn } from '../parts/define-hooks.ts';
import { isText } from '../parts/hook-groups.ts';
import {
  aFlag,
  flagIn,
  foundHooks,
  hooksOfLevel,
  hooksOfPlugins,
  pluginHooks,
  readLevels,
  switchFor,
  wrongKeys,
  type HostLevel,
} from '../parts/host-levels.ts';
import type { HostPlace } from '../parts/host-places.ts';
import { servePortIn } from '../parts/relay-entry.ts';
import { copilotEventNamed, copilotEventNames, copilotPoints, traitsOf } from './events.ts';
import { matcherFault } from './matcher.ts';
import { installedPlugins, projectSettings } from './places.ts';

/** The hooks of one file, and the folder in which they run if that is not the project's. */
interface CopilotHooks extends HooksFromSource {
  readonly folder?: string;
}

/** Within one event, hooks in camel case run before those in Pascal case, wherever they are in the file. */
const inTheirOrder = (hooks: unknown): unknown =>
  isRecord(hooks)
    ? Object.fromEntries(
        Object.entries(hooks).toSorted(
          ([one], [other]) => copilotEventNames.indexOf(one) - copilotEventNames.indexOf(other),
        ),
      )
    : hooks;

/** How Copilot's files describe a hook; a group as Claude Code has them may stand in place of one. */
export const format: HookFormat<string, CopilotHooks> = {
  host: 'Copilot',
  events: copilotEventNames,
  traitsOf: (name) => traitsOf(copilotEventNamed(name)!),
  example: 'preToolUse',
  isFlat: () => true,
  isMixed: true,
  typeIsOptional: true,
  entry: {
    runs: { command: 'bash', http: 'url' },
    inGroups: false,
    sequential: 'always',
    fields: {
      args: 'args',
      env: 'env',
      cwd: 'cwd',
      headers: 'headers',
      allowedEnv: 'allowedEnvVars',
    },
    program: 'exec',
    timeout: (ms) => ({ timeoutSec: ms / 1_000 }),
  },
  otherKeys: ['matcher', 'exec', 'command', 'powershell', 'timeoutSec'],
  entries: (from, _, usual) => usual({ ...from, hooks: inTheirOrder(from.hooks) }),
  program: (fields) =>
    ['exec', 'bash', 'command', 'powershell'].find((name) => name in fields) ?? 'bash',
  refuses({ event, kind, fields, group, command }) {
    const { matcher = group['matcher'], headers } = fields;
    const other = ['bash', 'command', 'powershell'].find((name) => name in fields);
    if (kind === 'command' && 'exec' in fields && other !== undefined)
      return ['exec', `use either "exec" or "${other}", not both`, command];
    if (kind === 'http' && !mayPostTo(command, headers))
      return [
        'url',
        `post to https://…; for ${event} to http://localhost, set COPILOT_HOOK_ALLOW_LOCALHOST=1`,
        command,
      ];
    return matcher === undefined || isText(matcher)
      ? undefined
      : ['matcher', 'make it a string', matcher];
  },
  more(entry, { args = [], cwd = entry.from.folder }) {
    const { event: name, kind, command, fields, from, path, complain } = entry;
    const event = copilotEventNamed(name)!;
    const { matcher = entry.matcher } = fields;
    const fault = isText(matcher) ? matcherFault(event, matcher) : undefined;
    if (fault !== undefined)
      complain(() => ({
        path: [...path, 'matcher'],
        message: fault,
        fix: event.isPascal
          ? 'write names such as "Write|Edit", "*", or a regular expression, or leave it out'
          : 'write a regular expression on Copilot\'s own names, such as "create|edit", or leave it out',
      }));
    // The newer field takes precedence over the older one.
    const older = secondsIn(entry, 30);
    const isProgram = kind === 'command' && 'exec' in fields;
    return {
      timeout: secondsIn(entry, older / 1_000, 'timeoutSec'),
      matcher: traitsOf(event).subject === undefined ? undefined : (matcher as string | undefined),
      args: isProgram ? args : undefined,
      ...(kind === 'command' &&
        (isProgram
          ? { name: [command, ...args].join(' ') }
          : { shell: isPowerShell(fields) ? 'powershell' : 'bash' })),
      cwd,
      onFailure: from.onFailure,
    };
  },
};

const isPowerShell = (fields: Readonly<Record<string, unknown>>): boolean =>
  !('bash' in fields) && !('command' in fields);

function mayPostTo(url: string, headers: unknown): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const isOwn = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  const mayBeOwn =
    environment()['COPILOT_HOOK_ALLOW_LOCALHOST'] === '1' ||
    servePortIn(url, headers) !== undefined;
  return protocol === 'https:' || (protocol === 'http:' && isOwn && mayBeOwn);
}

/** Shared by all sessions: a file that breaks while an agent works counts as it was before. */
const read = settingsReader();

/** Finds the hooks of files, settings and plugins, except those that a switch turns off. */
export function findHooks(site: HookSite, places: readonly HostPlace[]): FoundHooks {
  const open = places.filter(
    ({ source, file, fault }) => source === 'system' && !fault && othersMayWrite(file),
  );
  const closed = places.filter((place) => !open.includes(place));
  const levels = readLevels(closed, site, read);
  const plugins = enabledPlugins();
  const settings = new Set(projectSettings(site.cwd));
  const projects = levels.filter(({ file }) => settings.has(file));
  const off = switchFor(projects, 'project', switchKey, switchOf);
  // Any other file switches off only its own hooks; an administrator's cannot.
  const own = levels.filter(
    ({ file, source, values }) =>
      settings.has(file) || source === 'system' || switchOf(values) !== true,
  );
  return foundHooks<CopilotHooks>({
    site,
    sources: [...own.map(hooksOfLevel), ...plugins.sources].map((from) => ({
      from,
      off: from.source === 'project' || from.source === 'extension' ? off : undefined,
    })),
    files: [...levels, ...plugins.files],
    // They are denied while it is unknown which hooks guard them.
    guards: (['preToolUse', 'permissionRequest', 'userPromptSubmitted'] as const).map(
      (nativeEvent) => ({ event: copilotPoints[nativeEvent].at, nativeEvent }),
    ),
    isOff: (source) => source !== 'user' && off !== undefined,
    problems: [
      ...open.map(({ file }) => openProblem(file)),
      ...levels.flatMap(({ problems }) => problems),
      ...levels.flatMap((level) =>
        wrongKeys(level, {
          ...('hooks' in level.values && {
            version: [(value) => value === 1, 'make it 1, or Copilot ignores the file'],
          }),
          [switchKey]: aFlag,
        }),
      ),
      ...plugins.problems,
    ],
    define: (from) => defineHooks(from, format),
  });
}

const switchKey = 'disableAllHooks';

const switchOf = (values: HostLevel['values']): boolean | undefined => flagIn(values[switchKey]);

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
function enabledPlugins() {
  const file = installedPlugins();
  const installed = file === undefined ? undefined : read(file, false);
  const { installedPlugins: list } = installed?.values ?? {};
  const found = (Array.isArray(list) ? list : [])
    .filter(isRecord)
    .filter(({ enabled }) => enabled !== false)
    .flatMap(({ cache_path: folder }) => (isText(folder) ? hooksOfPlugin(folder) : []));
  return hooksOfPlugins(installed, found);
}

/** Returns a plugin's hook files, the usual ones and what its manifest names; its hooks run in its folder. */
function hooksOfPlugin(folder: string) {
  const manifest = join(folder, 'plugin.json');
  const hooks: unknown = read(manifest, false)?.values['hooks'];
  const named = isText(hooks) ? [join(folder, hooks)] : isRecord(hooks) ? [manifest] : [];
  const usual = [join(folder, 'hooks.json'), join(folder, 'hooks', 'hooks.json')];
  const env = { PLUGIN_ROOT: folder, COPILOT_PLUGIN_ROOT: folder, CLAUDE_PLUGIN_ROOT: folder };
  return pluginHooks(usual, named, read)
    .filter(({ level }) => switchOf(level.values) !== true)
    .map(({ level, from }) => ({ level, from: from && { ...from, env, folder } }));
}
