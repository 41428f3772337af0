import { isRecord } from '../../base/json.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { commentKey } from '../../settings/format/field.ts';
import { shortestTimeout } from '../../settings/format/hook-fields.ts';
import {
  lostEntry,
  type Complain,
  type LostHooks,
  type Path,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import { nearestKey, reportSlips } from '../../settings/format/unknown-names.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The format of hooks that are listed in groups under their events' names. */
export interface GroupFormat<Event extends string> {
  /** The host whose hooks these are, for messages. */
  readonly host: string;
  readonly events: readonly Event[];
  /** The event that a hint suggests if no known name is close to the given one. */
  readonly example: Event;
  /** Where the events are in the file; default: below `hooks`. */
  readonly under?: Path;
  /** The event that a key names, for a host that accepts other spellings. */
  readonly eventOf?: (key: string) => Event | undefined;
  /** Whether an event's list has the hooks themselves, each with its matcher; default: groups of them. */
  readonly isFlat?: (event: Event) => boolean;
  /** Whether such a list may have groups, too. */
  readonly isMixed?: true;
  /** A file without hooks is at fault. */
  readonly needsHooks?: true;
  /** What becomes of an event that the host does not have; default: it is skipped. */
  readonly unknownFate?: string;
  /** Keys among the events that are not events but mean something else. */
  readonly reserved?: readonly string[];
  /** The keys of a group and of a hook, used to recognize misspelled ones. */
  readonly groupKeys: readonly string[];
  readonly hookKeys: readonly string[];
  /**
   * What is wrong with the matcher of a group; undefined if it can be used as it is. Without it, matchers are
   * looked at later.
   */
  readonly matcherFault?: (event: Event, matcher: string) => string | undefined;
  /** What the user can do about it. */
  readonly matcherFix?: string;
}

/** One entry of a group, not yet checked. */
export interface GroupEntry<Event extends string> {
  readonly event: Event;
  readonly group: Fields;
  readonly matcher: string | undefined;
  readonly hook: unknown;
  readonly path: Path;
  /** What is unknown if the hook cannot be read. */
  readonly lost: LostHooks;
}

/** Yields the entries of all groups; a bad group is skipped, and the others still count. */
export function* groupEntries<Event extends string>(
  { hooks }: HooksFromSource,
  format: GroupFormat<Event>,
  complain: Complain,
): Generator<GroupEntry<Event>> {
  const { host, events, example, reserved = [], under = ['hooks'], unknownFate } = format;
  if (hooks === undefined && !format.needsHooks) return;
  if (!isRecord(hooks)) {
    complain(
      () => ({
        path: under,
        message: `${said(hooks)}, so no hook was read`,
        fix: `make it an object: { "${example}": [ … ] }`,
      }),
      {},
    );
    return;
  }
  for (const [name, groups] of Object.entries(hooks)) {
    if (reserved.includes(name) || (!unknownFate && commentKey.test(name))) continue;
    const path = [...under, name];
    const event = format.eventOf?.(name) ?? events.find((known) => known === name);
    if (event === undefined) {
      complain(() => ({
        path,
        message: `${host} has no such event, so ${unknownFate ?? 'it was skipped'}`,
        fix: `use ${nearestKey(name, events) ?? `one of its events, such as ${example}`}`,
        code: 'unknown-event',
      }));
      continue;
    }
    if (!Array.isArray(groups)) {
      complain(
        () => ({
          path,
          message: `${said(groups)}, so it was discarded`,
          fix: format.isFlat?.(event)
            ? 'make it an array of hooks: [ { "command": "…" } ]'
            : 'make it an array of hook groups: [ { "hooks": [ … ] } ]',
        }),
        { event },
      );
      continue;
    }
    for (const [index, group] of (groups as unknown[]).entries()) {
      const isGroup = format.isMixed && isRecord(group) && Array.isArray(group['hooks']);
      const read = format.isFlat?.(event) && !isGroup ? flatEntry : entriesOf;
      yield* read(event, group, [...path, index], format, complain);
    }
  }
}

function* flatEntry<Event extends string>(
  event: Event,
  hook: unknown,
  path: Path,
  { matcherFault, matcherFix, groupKeys, hookKeys }: GroupFormat<Event>,
  complain: Complain,
): Generator<GroupEntry<Event>> {
  const fields = isRecord(hook) ? hook : {};
  const { matcher } = fields;
  reportSlips(fields, path, [...groupKeys, ...hookKeys], complain);
  const fault =
    matcher === undefined || matcherFault === undefined
      ? undefined
      : isText(matcher)
        ? matcherFault(event, matcher)
        : `${said(matcher)}, so it counts for everything`;
  if (fault !== undefined)
    complain(() => ({ path: [...path, 'matcher'], message: fault, fix: matcherFix! }));
  yield {
    event,
    group: fields,
    matcher: isText(matcher) ? matcher : undefined,
    hook,
    path,
    lost: lostEntry(event, hook),
  };
}

function* entriesOf<Event extends string>(
  event: Event,
  group: unknown,
  path: Path,
  { matcherFault, matcherFix, groupKeys, hookKeys }: GroupFormat<Event>,
  complain: Complain,
): Generator<GroupEntry<Event>> {
  if (!isRecord(group) || !Array.isArray(group['hooks'])) {
    const isHook = isRecord(group) && ('command' in group || 'type' in group);
    complain(
      () => ({
        path: isRecord(group) ? [...path, 'hooks'] : path,
        message: `${said(isRecord(group) ? group['hooks'] : group)}, so the group was discarded`,
        fix: isHook
          ? 'put the hook into a group: { "hooks": [ … ] }'
          : 'make it a hook group: { "matcher": "…", "hooks": [ … ] }',
      }),
      lostEntry(event, group),
    );
    return;
  }
  reportSlips(group, path, groupKeys, complain);
  const matcher = group['matcher'] ?? undefined;
  const wrongMatcher =
    matcher === undefined || matcherFault === undefined
      ? undefined
      : isText(matcher)
        ? matcherFault(event, matcher)
        : `${said(matcher)}, so the group was discarded`;
  const isLost = matcherFault !== undefined && matcher !== undefined && !isText(matcher);
  if (wrongMatcher !== undefined)
    complain(
      () => ({ path: [...path, 'matcher'], message: wrongMatcher, fix: matcherFix! }),
      isLost ? { event } : undefined,
    );
  if (isLost) return;
  for (const [index, hook] of (group['hooks'] as unknown[]).entries()) {
    const at = [...path, 'hooks', index];
    if (isRecord(hook)) reportSlips(hook, at, hookKeys, complain);
    yield {
      event,
      group,
      matcher: isText(matcher) ? matcher : undefined,
      hook,
      path: at,
      lost: lostEntry(event, hook, group),
    };
  }
}

/** Reads a field of a hook; one that does not fit is reported and treated as absent. */
export type ReadField = <T>(
  name: string,
  fits: (value: unknown) => value is T,
  wanted: string,
) => T | undefined;

/** Returns a reader for the fields of a hook at its place in the settings. */
export const fieldReader =
  (hook: Fields, path: Path, complain: Complain): ReadField =>
  (name, fits, wanted) => {
    const value = hook[name];
    if (value === undefined || fits(value)) return value;
    complain(() => ({
      path: [...path, name],
      message: `${said(value)}, so it was ignored`,
      fix: `make it ${wanted}`,
    }));
    return undefined;
  };

/** Reports a number of seconds that was evidently meant as milliseconds. */
export function reportSeconds(value: unknown, path: Path, key: string, complain: Complain): void {
  if (isSeconds(value) && value >= fewestMilliseconds)
    complain(() => ({
      path: [...path, key],
      message: `${said(value)} seconds, so the hook may take ${Math.round(value / 360) / 10} hours`,
      fix: `if milliseconds were meant, write ${value / 1_000}`,
      code: 'timeout-unit',
    }));
}

/** No hook needs this many seconds: the author must have meant milliseconds. */
const fewestMilliseconds = 5_000;

/** Reports a number of milliseconds that was evidently meant as seconds. */
export function reportMilliseconds(value: number, path: Path, complain: Complain): void {
  if (value > 0 && value < shortestTimeout)
    complain(() => ({
      path: [...path, 'timeout'],
      message: `${said(value)} ms, so the hook hardly has time to start`,
      fix: `if seconds were meant, write ${value * 1_000}`,
      code: 'timeout-unit',
    }));
}

/** A string. */
export const isText = (value: unknown): value is string => typeof value === 'string';
/** True or false. */
export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
/** A finite, positive number of seconds. */
export const isSeconds = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0;
/** The name of a shell. */
export const isShell = (value: unknown): value is 'bash' | 'powershell' =>
  value === 'bash' || value === 'powershell';
/** A list of strings. */
export const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isText);
/** An object whose values are strings. */
export const isTextsByName = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every(isText);

/** The longest delay that a timer accepts, in ms; a longer one would fire at once. */
export const longestTimeout = 2_147_483_647;
