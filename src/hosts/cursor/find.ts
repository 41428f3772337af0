import { dirname } from 'node:path';
import { defined, isRecord } from '../../base/json.ts';
import { isRegex } from '../../base/bounded-regex.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import {
  checkEntries,
  discarded,
  lostEntry,
  placeOf,
  type Checked,
  type Complain,
  type Path,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import { settingsReader } from '../../settings/files/read-files.ts';
import { nearestKey, reportSlips } from '../../settings/format/unknown-names.ts';
import {
  fieldReader,
  isFlag,
  isText,
  longestTimeout,
  isSeconds,
  reportSeconds,
} from '../parts/hook-groups.ts';
import { foundHooks, hooksOfLevel, readLevels, type HostLevel } from '../parts/host-levels.ts';
import type { FoundHooks, HookSite } from '../../core/dialects/hook-site.ts';
import { cursorEvents, keepsDenials, type CursorEventName } from './events.ts';
import { cursorFiles } from './places.ts';

/**
 * Shared by all sessions: a file that breaks while an agent works still counts with its last good
 * content.
 */
const read = settingsReader();

/** Finds the hooks of all files named `hooks.json`. */
export function findHooks(site: HookSite, enterprise: string): FoundHooks {
  const levels = readLevels(cursorFiles(site.cwd, enterprise), site, read);
  const known = levels.filter(({ broken }) => broken === undefined || broken.isStale);
  return foundHooks({
    site,
    sources: known.map((level) => ({
      from: { ...level, ...hooksOfLevel(level) },
      off: undefined,
    })),
    files: levels,
    guards: needGuards,
    problems: levels.flatMap(({ problems }) => problems),
    define: defineHooks,
  });
}

/** The events that must not proceed while it is unknown what guards them. */
const needGuards = cursorEvents.guards('preToolUse', 'beforeSubmitPrompt');

/** Checks a file entry by entry: a bad entry is skipped and the others still count. */
const defineHooks = (level: HostLevel): Checked<HookDefinition> =>
  checkEntries(level, (complain) => defineAll(level, complain));

function* defineAll(level: HostLevel, complain: Complain): Generator<HookDefinition> {
  const { version, hooks } = level.values;
  if (version !== 1)
    complain(() => ({
      path: ['version'],
      message: `${said(version)}, so Cursor would ignore this file`,
      fix: 'write "version": 1',
    }));
  if (!isRecord(hooks)) {
    complain(
      () => ({
        path: ['hooks'],
        message: `${said(hooks)}, so no hook was read`,
        fix: 'make it an object: { "preToolUse": [ … ] }',
      }),
      {},
    );
    return;
  }
  for (const [event, entries] of Object.entries(hooks))
    yield* defineEvent(event, entries, level, complain);
}

function* defineEvent(
  name: string,
  entries: unknown,
  level: HostLevel,
  complain: Complain,
): Generator<HookDefinition> {
  const path = ['hooks', name];
  const event = cursorEvents.names.find((known) => known === name);
  if (event === undefined) {
    complain(() => ({
      path,
      message: 'Cursor has no such event, so it would ignore this file',
      fix: `use ${nearestKey(name, cursorEvents.names) ?? 'one of its events, such as preToolUse'}`,
      code: 'unknown-event',
    }));
    return;
  }
  if (!Array.isArray(entries)) {
    complain(
      () => ({
        path,
        message: `${said(entries)}, so it was discarded`,
        fix: 'make it an array of hooks: [ { "command": "…" } ]',
      }),
      { event },
    );
    return;
  }
  for (const [index, entry] of entries.entries()) {
    const definition = defineHook(event, entry, [...path, index], level, complain);
    if (definition) yield definition;
  }
}

const hookKeys = [
  'type',
  'command',
  'prompt',
  'model',
  'matcher',
  'timeout',
  'loop_limit',
  'failClosed',
];

/** The types of hooks, and the field that says what each runs. */
const handlers = { command: 'command', prompt: 'prompt' } as const;

function defineHook(
  event: CursorEventName,
  hook: unknown,
  path: Path,
  level: HostLevel,
  complain: Complain,
): HookDefinition | undefined {
  const lost = lostEntry(event, hook);
  const discard = (field: string | undefined, value: unknown, fix: string): undefined =>
    discarded(complain, lost, field === undefined ? path : [...path, field], value, fix);
  if (!isRecord(hook)) return discard(undefined, hook, 'make it an object: { "command": "…" }');
  const { type = 'command', matcher } = hook;
  if (type !== 'command' && type !== 'prompt')
    return discard('type', type, 'make it "command" or "prompt"');
  const command = hook[handlers[type]];
  if (typeof command !== 'string' || !/\S/.test(command))
    return discard(handlers[type], command, `say what to run: "${handlers[type]}": "…"`);
  if (
    matcher !== undefined &&
    (typeof matcher !== 'string' || !(matcher === '*' || isRegex(matcher)))
  )
    return discard('matcher', matcher, 'make it a regular expression');
  reportSlips(hook, path, hookKeys, complain);
  reportSeconds(hook['timeout'], path, 'timeout', complain);
  const field = fieldReader(hook, path, complain);
  const seconds = field('timeout', isSeconds, 'a positive number of seconds') ?? 60;
  const failsClosed = field('failClosed', isFlag, 'true or false') === true;
  const isUsers = level.source !== 'project';
  return {
    event: cursorEvents.ours[event],
    nativeEvent: event,
    type,
    command,
    name: command,
    timeout: Math.min(seconds * 1_000, longestTimeout),
    sequential: false,
    source: level.source,
    file: level.file,
    place: placeOf(path),
    env: {},
    ...defined({
      matcher: isText(matcher) ? matcher : undefined,
      model: type === 'prompt' ? field('model', isText, 'a string') : undefined,
      // A project's hooks run in the project; all others run beside their file.
      cwd: isUsers ? dirname(level.file) : undefined,
      loopLimit: loopLimitOf(event, hook, path, complain),
      onFailure: failsClosed && keepsDenials(event) ? ('block' as const) : undefined,
    }),
  };
}

/** Returns how often a hook may make the agent continue: five times by default; null means no limit. */
function loopLimitOf(
  event: CursorEventName,
  { loop_limit: given }: Readonly<Record<string, unknown>>,
  path: Path,
  complain: Complain,
): number | undefined {
  if (event !== 'stop' && event !== 'subagentStop') return undefined;
  if (given === null) return undefined;
  if (given === undefined || (typeof given === 'number' && given >= 0)) return given ?? 5;
  complain(() => ({
    path: [...path, 'loop_limit'],
    message: `${said(given)}, so it counts as 5`,
    fix: 'make it a number, or null',
  }));
  return 5;
}
