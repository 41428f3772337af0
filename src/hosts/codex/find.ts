import { dirname } from 'node:path';
import { fieldsOf, isRecord } from '../../base/json.ts';
import { said } from '../../base/message-of.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import {
  checkEntries,
  type Checked,
  type SettingsProblem,
} from '../../core/definitions/problem.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import type { HookSource } from '../../core/protocol/events.ts';
import { parseJson } from '../../settings/files/parse-json.ts';
import { settingsReader } from '../../settings/files/read-files.ts';
import { defineHooks, type HookFormat, type KnownEntry } from '../parts/define-hooks.ts';
import { longestTimeout, reportSeconds } from '../parts/hook-groups.ts';
import {
  foundHooks,
  hooksOfLevel,
  onlyManaged,
  readLevels,
  switchFor,
  type HostLevel,
  type OffSwitch,
} from '../parts/host-levels.ts';
import { userFolder, type HostPlace } from '../parts/host-places.ts';
import { tomlFormat } from '../parts/toml-format.ts';
import { codexEvents, snakeOf, traitsOf, type CodexEventName } from './events.ts';
import { matcherFault } from './matcher.ts';
import { mayHoldHooks, users } from './places.ts';

const loadSmolToml = onDemand(() => import('smol-toml'));

/** The hooks of one file, and which of them the user switched off. */
interface CodexHooks extends HooksFromSource {
  readonly file: string;
  /** Whether the user's config switches off the hook with this key. */
  readonly isOff: (key: string) => boolean;
}

/** The longest timeout that Codex allows for an event, in seconds. */
const longestOf = (event: CodexEventName): number => 3 * (traitsOf(event).seconds ?? Infinity);

/** How Codex's `hooks.json` describes a hook. */
export const format: HookFormat<CodexEventName, CodexHooks> = {
  host: 'Codex',
  events: codexEvents.names,
  traitsOf,
  example: 'PreToolUse',
  // What the user's config remembers about hooks, and what an administrator says about theirs.
  reserved: ['state', 'managed_dir', 'windows_managed_dir'],
  matcherFault,
  matcherFix:
    'write names such as "Bash|apply_patch", or a regular expression without look-around and back-references',
  entry: {
    runs: { command: 'command' },
    inGroups: true,
    fields: { async: 'async' },
    // Whole seconds, and no more than Codex allows.
    timeout: (ms, event) => {
      const longest = Object.hasOwn(codexEvents.ours, event)
        ? longestOf(event as CodexEventName)
        : Infinity;
      return { timeout: Math.min(Math.ceil(ms / 1_000), longest) };
    },
  },
  otherKeys: ['statusMessage'],
  more(entry, { async: isAsync }) {
    const { event, path, matcher, complain, from } = entry;
    // The positions in the file are part of the key by which Codex remembers a hook.
    const [, , group, , handler] = path;
    if (from.isOff(`${from.file}:${snakeOf(event)}:${group}:${handler}`)) return undefined;
    const isAwaited = event === 'SessionEnd';
    if (isAsync && isAwaited)
      complain(() => ({
        path: [...path, 'async'],
        message: 'nothing follows the end of a session, so the hook is waited for',
        fix: 'remove it',
      }));
    return {
      timeout: timeoutOf(entry),
      matcher: traitsOf(event).subject === undefined ? undefined : matcher,
      async: isAsync && !isAwaited ? isAsync : undefined,
    };
  },
};

const isWhole = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Returns a hook's timeout in ms; 0 seconds count as 1. */
function timeoutOf({ event, field, fields, path, complain }: KnownEntry<CodexEventName>): number {
  const longest = longestOf(event);
  if (longest === Infinity) reportSeconds(fields['timeout'], path, 'timeout', complain);
  const given = field('timeout', isWhole, 'a whole number of seconds');
  const seconds = Math.max(1, given ?? traitsOf(event).seconds ?? 600);
  if (seconds > longest)
    complain(() => ({
      path: [...path, 'timeout'],
      message: `${said(fields['timeout'])}, which is more than ${event} hooks may take, so it counts as ${longest}`,
      fix: `make it ${longest} or less`,
    }));
  return Math.min(Math.min(seconds, longest) * 1_000, longestTimeout);
}

/** A matcher that is not a string discards the whole file, as it does in Codex; null counts as absent. */
function define(from: CodexHooks): Checked<HookDefinition> {
  const hooks = withoutNulls(from.hooks);
  const wrong = wrongMatcher(hooks);
  if (wrong === undefined) return defineHooks({ ...from, hooks }, format);
  return checkEntries(from, (complain) => {
    complain(
      () => ({
        path: wrong.path,
        message: `${said(wrong.matcher)}, so none of the hooks in this file runs`,
        fix: 'make it a string',
      }),
      {},
    );
    return [];
  });
}

const withoutNulls = (hooks: unknown): unknown =>
  isRecord(hooks)
    ? Object.fromEntries(
        Object.entries(hooks).map(([event, groups]) => [
          event,
          Array.isArray(groups)
            ? groups.map((group: unknown) => {
                if (!isRecord(group) || group['matcher'] !== null) return group;
                const { matcher: _, ...others } = group;
                return others;
              })
            : groups,
        ]),
      )
    : hooks;

/** Returns the first matcher of a file that is not a string. */
function wrongMatcher(hooks: unknown) {
  for (const event of codexEvents.names) {
    const { [event]: groups } = fieldsOf(hooks);
    for (const [index, group] of (Array.isArray(groups) ? groups : []).entries()) {
      const { matcher } = fieldsOf(group);
      if (matcher !== undefined && typeof matcher !== 'string')
        return { path: ['hooks', event, index, 'matcher'], matcher };
    }
  }
  return undefined;
}

/** Shared by all sessions: a file that breaks while an agent works counts as it was before. */
const readJson = settingsReader({ name: 'JSON', parse: (text) => parseJson(text, true) });
/** Set with the first TOML file that may mention hooks; what TOML files hold is unknown if that fails. */
let parseToml: (text: string) => unknown;
const readToml = settingsReader(tomlFormat((text) => parseToml(text)));

const isToml = (file: string): boolean => file.endsWith('.toml');

/** Finds the hooks of `hooks.json` and `config.toml`, except those that a switch turns off. */
export async function findHooks(site: HookSite, all: readonly HostPlace[]): Promise<FoundHooks> {
  const places = all.filter(mayHoldHooks);
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
    switchFor(levels, source, 'features.hooks', hooksAreOff) ??
    onlyManaged(levels, source, 'allow_managed_hooks_only');
  return foundHooks<CodexHooks>({
    site,
    sources: levels.map((level) => ({
      from: { ...hooksOfLevel(level), isOff },
      off: offFor(level.source),
    })),
    files: levels,
    // They are denied while it is unknown which hooks guard them.
    guards: codexEvents.guards('PreToolUse', 'PermissionRequest', 'UserPromptSubmit'),
    isOff: (source) => offFor(source) !== undefined,
    problems: [
      ...levels.flatMap(({ problems }) => problems),
      ...levels.flatMap(topProblems),
      ...doubledFolders(levels),
    ],
    define,
  });
}

/**
 * Whether a file switches hooks off, by the switch's new name or its old one; undefined if it does not
 * say.
 */
function hooksAreOff({ features }: HostLevel['values']): boolean | undefined {
  const { hooks, codex_hooks: old } = fieldsOf(features);
  const words = [hooks, old].filter((word) => typeof word === 'boolean');
  return words.length === 0 ? undefined : words.includes(false);
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
  const { state } = fieldsOf(config?.values['hooks']);
  return (key) => fieldsOf(fieldsOf(state)[key])['enabled'] === false;
}

/**
 * Reports unknown keys at the top of a `hooks.json`, for which Codex would ignore the file, and hooks
 * in places where none are read.
 */
function topProblems({ file, values, locate, broken }: HostLevel): SettingsProblem[] {
  if (isToml(file) || (broken && !broken.isStale)) return [];
  const unknown = Object.keys(values)
    .filter((key) => !['description', 'hooks'].includes(key))
    .map((key) => ({
      file,
      ...(locate && { at: locate([key]) }),
      place: key,
      message: 'is not a known key, and because of it Codex would ignore all hooks in this file',
      fix: Object.hasOwn(codexEvents.ours, key) ? 'move it into "hooks"' : 'remove it',
    }));
  if (values['hooks'] !== undefined) return unknown;
  const missing = { file, place: 'hooks', message: `${said(undefined)}, so no hook was read` };
  return [...unknown, { ...missing, fix: 'write { "hooks": { "PreToolUse": [ … ] } }' }];
}

const holdsHooks = ({ values: { hooks } }: HostLevel): boolean =>
  Object.keys(fieldsOf(hooks)).some((key) => Object.hasOwn(codexEvents.ours, key));

/** Reports folders with hooks in both files, which Codex warns about too. */
const doubledFolders = (levels: readonly HostLevel[]): SettingsProblem[] =>
  levels
    .filter(
      (level) =>
        level.source !== 'system' &&
        level.file.endsWith('config.toml') &&
        holdsHooks(level) &&
        levels.some(
          (other) =>
            other !== level && dirname(other.file) === dirname(level.file) && holdsHooks(other),
        ),
    )
    .map(({ file }) => ({
      file,
      place: 'hooks',
      message: 'hooks.json next to it holds hooks too, and all of them run',
      fix: 'keep them in one of the two files',
    }));
