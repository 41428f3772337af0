import { dirname } from 'node:path';
import { isRecord } from '../../base/json.ts';
import type { HookSource } from '../../core/protocol/events.ts';
import { parseJson } from '../../settings/files/parse-json.ts';
import { settingsReader } from '../../settings/files/read-files.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import {
  foundHooks,
  hooksOfLevel,
  readLevels,
  switchFor,
  type HostLevel,
  type OffSwitch,
} from '../parts/host-levels.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { userFolder } from '../parts/host-places.ts';
import { defineHooks, type CodexHooks } from './define.ts';
import { tomlFormat } from '../parts/toml-format.ts';
import { codexEvents } from './events.ts';
import { codexFiles, mayHoldHooks, users } from './places.ts';
import { onDemand } from '../../base/on-demand.ts';
import { said } from '../../base/message-of.ts';

const loadSmolToml = onDemand(() => import('smol-toml'));

/**
 * Shared by all sessions: a file that breaks while an agent works still counts with its last good
 * content.
 */
const readJson = settingsReader({ name: 'JSON', parse: (text) => parseJson(text, true) });
/** Set with the first TOML file that may mention hooks; what TOML files hold is unknown if that fails. */
let parseToml: (text: string) => unknown;

const readToml = settingsReader(tomlFormat((text) => parseToml(text)));

const isToml = (file: string): boolean => file.endsWith('.toml');

/** Finds the hooks of `hooks.json` and `config.toml`, except those that a switch turns off. */
export async function findHooks(site: HookSite, system: string): Promise<FoundHooks> {
  const places = codexFiles(site.cwd, system).filter(mayHoldHooks);
  if (places.some(({ file }) => isToml(file)))
    parseToml = await loadSmolToml().then(
      ({ parse }) => parse,
      (error: unknown) => (): never => {
        throw error;
      },
    );
  const levels = readLevels(places, site, (file, hasOurKeys) =>
    (isToml(file) ? readToml : readJson)(file, hasOurKeys),
  );
  const isOff = switchedOff(levels);
  const offFor = (source: HookSource): OffSwitch | undefined =>
    switchFor(levels, source, 'features.hooks', hooksAreOff) ?? onlyManaged(levels, source);
  return foundHooks<CodexHooks>({
    site,
    sources: levels.map((level) => ({
      from: { ...hooksOfLevel(level), isOff },
      off: offFor(level.source),
    })),
    files: levels,
    guards: needGuards,
    isOff: (source) => offFor(source) !== undefined,
    problems: [
      ...levels.flatMap(({ problems }) => problems),
      ...levels.flatMap(topProblems),
      ...doubledFolders(levels),
    ],
    define: defineHooks,
  });
}

/** The events that must not proceed while it is unknown what guards them. */
const needGuards = codexEvents.guards('PreToolUse', 'PermissionRequest', 'UserPromptSubmit');

/**
 * Whether a file switches hooks off, by the switch's new name or its old one; undefined if it does not
 * say.
 */
function hooksAreOff({ features }: HostLevel['values']): boolean | undefined {
  if (!isRecord(features)) return undefined;
  const words = [features['hooks'], features['codex_hooks']].filter(
    (word) => typeof word === 'boolean',
  );
  return words.length === 0 ? undefined : words.includes(false);
}

/** An administrator may allow only their own hooks. */
function onlyManaged(levels: readonly HostLevel[], source: HookSource) {
  const key = 'allow_managed_hooks_only';
  const level = levels.find((one) => one.source === 'system' && one.values[key] === true);
  return level && source !== 'system' ? { level, key } : undefined;
}

/**
 * Reads which single hooks the user's config switches off. Their trust is a separate matter, which
 * `hookmachine trust` decides here.
 */
function switchedOff(levels: readonly HostLevel[]): (key: string) => boolean {
  const user = userFolder(users);
  const config = levels.find(
    ({ source, file }) => source === 'user' && isToml(file) && dirname(file) === user,
  );
  const hooks = config?.values['hooks'];
  const state = isRecord(hooks) ? hooks['state'] : undefined;
  return (key) => {
    const known = isRecord(state) ? state[key] : undefined;
    return isRecord(known) && known['enabled'] === false;
  };
}

/**
 * Reports unknown keys at the top of a `hooks.json`, for which Codex would ignore the file, and hooks
 * in places where none are read.
 */
function topProblems({ file, values, locate, broken }: HostLevel): SettingsProblem[] {
  if (isToml(file) || (broken && !broken.isStale)) return [];
  const at = (key: string) => locate && { at: locate([key]) };
  const unknown = Object.keys(values)
    .filter((key) => !['description', 'hooks'].includes(key))
    .map((key) => ({
      file,
      ...at(key),
      place: key,
      message: 'is not a known key, and because of it Codex would ignore all hooks in this file',
      fix: Object.hasOwn(codexEvents.ours, key) ? 'move it into "hooks"' : 'remove it',
    }));
  if (values['hooks'] !== undefined) return unknown;
  const missing = { file, place: 'hooks', message: `${said(undefined)}, so no hook was read` };
  return [...unknown, { ...missing, fix: 'write { "hooks": { "PreToolUse": [ … ] } }' }];
}

const holdsHooks = ({ values: { hooks } }: HostLevel): boolean =>
  isRecord(hooks) && Object.keys(hooks).some((key) => Object.hasOwn(codexEvents.ours, key));

/** Reports folders with hooks in both files, which Codex warns about too. */
function doubledFolders(levels: readonly HostLevel[]): SettingsProblem[] {
  return levels.flatMap((level) => {
    const { file, source } = level;
    const isSecond =
      file.endsWith('config.toml') &&
      holdsHooks(level) &&
      levels.some(
        (other) => other !== level && dirname(other.file) === dirname(file) && holdsHooks(other),
      );
    return isSecond && source !== 'system'
      ? [
          {
            file,
            place: 'hooks',
            message: 'hooks.json next to it holds hooks too, and all of them run',
            fix: 'keep them in one of the two files',
          },
        ]
      : [];
  });
}
