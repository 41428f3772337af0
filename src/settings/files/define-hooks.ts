import { type HookEventName, hookEventNames, isHookEventName } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import type { HookDefinition, HookType } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { commentKey, faultIn, type Fields, fits } from '../format/field.ts';
import {
  asWritten,
  defaultTimeout,
  fieldsOf,
  foreignGroupKeys,
  foreignHookKeys,
  groupFields,
  type HookEntry,
  type OpenGroup,
  ownKinds,
  shortestTimeout,
  typesWith,
} from '../format/hook-fields.ts';
import { reserved } from '../format/settings-fields.ts';
import {
  type Checked,
  checkEntries,
  type Complain,
  lostEntry,
  type LostHooks,
  type Path,
  placeOf,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import { nearestKey, reportUnknownKeys } from '../format/unknown-names.ts';

/** What a dialect's settings may contain. */
export interface SettingsFormat {
  /** The hook types that it supports: all that our own settings support, or these; default: LLxprt's. */
  readonly kinds?: readonly HookType[] | 'ours';
  /** The names of its events; default: LLxprt's. */
  readonly eventNames?: readonly string[];
  /** Returns the event with this name; undefined if there is none. */
  readonly eventOf?: (name: string) => HookEventName | undefined;
  /** Maps an event name of another host to this dialect's own, for a hint. */
  readonly meant?: (name: string) => string | undefined;
}

/**
 * Checks hooks entry by entry. A bad entry is dropped with one problem that names the file, the place and the
 * fix; the others still count. An unknown key is reported and otherwise ignored.
 */
export function defineHooks(
  from: HooksFromSource,
  format: SettingsFormat = {},
): Checked<HookDefinition> {
  return checkEntries(from, (complain) =>
    defineAll(
      from,
      {
        ...llxprtFormat,
        ...format,
        kinds: format.kinds === 'ours' ? ownKinds : (format.kinds ?? llxprtFormat.kinds),
      },
      complain,
    ),
  );
}

/** A format with what was left to the default. */
interface WholeFormat extends Required<SettingsFormat> {
  readonly kinds: readonly HookType[];
}

const llxprtFormat: WholeFormat = {
  kinds: ['command', 'plugin'],
  eventNames: hookEventNames,
  eventOf: (name) => (isHookEventName(name) ? name : undefined),
  meant: () => undefined,
};

function* defineAll(
  from: HooksFromSource,
  format: WholeFormat,
  complain: Complain,
): Generator<HookDefinition> {
  const { hooks } = from;
  if (isRecord(hooks)) {
    for (const [event, groups] of Object.entries(hooks))
      if (!reserved.includes(event) && !commentKey.test(event))
        yield* defineEvent(event, groups, from, format, complain);
  } else if (hooks !== undefined && hooks !== null)
    complain(
      () => ({
        path: ['hooks'],
        message: `${said(hooks)}, so no hook was read`,
        fix: 'make it an object: { "BeforeTool": [ … ] }',
      }),
      {},
    );
}

function* defineEvent(
  name: string,
  groups: unknown,
  from: HooksFromSource,
  { kinds, eventNames, eventOf, meant: meantBy }: WholeFormat,
  complain: Complain,
): Generator<HookDefinition> {
  const path = ['hooks', name];
  const event = eventOf(name);
  if (event === undefined)
    complain(() => {
      const others = Array.isArray(groups) ? [] : reserved;
      const meant = meantBy(name) ?? nearestKey(name, [...eventNames, ...others]);
      return {
        path,
        message: 'there is no such event, so it was skipped',
        fix: `use ${meant ?? `one of ${eventNames.join(', ')}`}`,
        code: 'unknown-event',
      };
    });
  else if (Array.isArray(groups))
    for (const [index, group] of groups.entries())
      for (const definition of defineGroup(
        { name, event },
        group,
        [...path, index],
        from,
        kinds,
        complain,
      ))
        yield name === event ? definition : { ...definition, nativeEvent: name };
  else
    complain(
      () => ({
        path,
        message: `${said(groups)}, so it was discarded`,
        fix: 'make it an array of hook groups: [ { "hooks": [ … ] } ]',
      }),
      { event: name },
    );
}

function* defineGroup(
  { name, event }: { readonly name: string; readonly event: HookEventName },
  value: unknown,
  path: Path,
  from: HooksFromSource,
  kinds: readonly HookType[],
  complain: Complain,
): Generator<HookDefinition> {
  const lost = lostEntry(name, value);
  const group = check(groupEntry(kinds), value, path, complain, lost) as OpenGroup | undefined;
  if (group === undefined) return;
  const matcher = group.matcher?.trim();
  if (matcher !== undefined && isLiteral(event, matcher))
    complain(() => ({
      path: [...path, 'matcher'],
      message: `${said(matcher)}, which is not a regular expression, so it matches only a tool of exactly that name`,
      fix: 'write a regular expression, such as "write_file|replace"; "*" alone matches every tool',
    }));
  for (const [index, entry] of group.hooks.entries()) {
    const place = [...path, 'hooks', index];
    const hook = check(
      hookEntry(entry, kinds),
      entry,
      place,
      complain,
      lostEntry(name, entry, group),
    ) as HookEntry | undefined;
    if (hook === undefined) continue;
    const { timeout } = hook;
    if (timeout !== undefined && timeout < shortestTimeout)
      complain(() => ({
        path: [...place, 'timeout'],
        message: `${said(timeout)} ms, so the hook hardly has time to start`,
        fix: `if seconds were meant, write ${timeout * 1_000}`,
        code: 'timeout-unit',
      }));
    if (hook.async && hook.onFailure === 'block')
      complain(() => ({
        path: [...place, 'onFailure'],
        message: 'is "block", which has no effect, because an "async" hook is not waited for',
        fix: 'remove "async" or "onFailure"',
      }));
    const unfit = hook.stream && whyNoStream(hook, event);
    if (unfit !== undefined) complain(() => ({ path: [...place, 'stream'], ...unfit }));
    const { stream: _, ...whole } = hook;
    yield definitionOf(unfit === undefined ? hook : whole, group, event, place, from);
  }
}

/** Returns why a hook with these fields cannot receive text as it streams in; undefined if it can. */
function whyNoStream(
  { async: isAsync, once }: HookEntry,
  event: HookEventName,
): { readonly message: string; readonly fix: string } | undefined {
  const so = 'so the hook runs without it';
  if (event !== 'AfterModel')
    return {
      message: `applies only to model.after; ${event} has no answer text, ${so}`,
      fix: 'remove it, or put the hook under "model.after"',
    };
  const key = isAsync ? 'async' : once ? 'once' : undefined;
  return key === undefined
    ? undefined
    : {
        message: `is for hooks that see every answer as it arrives, not for one with "${key}", ${so}`,
        fix: `remove "${key}" or "stream"`,
      };
}

/** How one kind of settings entry is checked. */
interface Entry {
  readonly kind: 'group' | 'hook';
  readonly fields: Fields;
  /** Returns the names of the required fields. */
  readonly needed: (value: Readonly<Record<string, unknown>>) => readonly string[];
  readonly foreign: readonly string[];
  readonly fix: string;
  /** Returns the fix for a key that belongs elsewhere. */
  readonly hintFor: (key: string) => string | undefined;
}

const groupEntry = (kinds: readonly HookType[]): Entry => ({
  kind: 'group',
  fields: groupFields,
  // An unreadable matcher could have been meant for any tool.
  needed: ({ matcher }) =>
    matcher === undefined || matcher === null ? ['hooks'] : ['matcher', 'hooks'],
  foreign: foreignGroupKeys,
  fix: 'make it a hook group: { "matcher": "…", "hooks": [ … ] }',
  hintFor: (key) =>
    typesWith(key, kinds).length > 0 ? `write "${key}" in each hook of the group` : undefined,
});

function hookEntry(value: unknown, kinds: readonly HookType[]): Entry {
  const { needed, fields } = fieldsOf(isRecord(value) ? value['type'] : undefined, kinds);
  return {
    kind: 'hook',
    fields,
    needed: () => needed,
    // A key that another hook type uses is not foreign.
    foreign: foreignHookKeys.filter((key) => typesWith(key, kinds).length === 0),
    fix: 'make it an object: { "type": "command", "command": "…" }',
    hintFor: (key) => {
      if (Object.hasOwn(groupFields, key)) return `write "${key}" in the group around the hook`;
      const types = typesWith(key, kinds).map((type) => JSON.stringify(type));
      if (types.length > 0) return `it belongs to a hook of type ${types.join(' or ')}`;
      return /^(?:enabled?|disabled?)$/i.test(key)
        ? 'to disable a hook, write its name in "hooksConfig": { "disabled": [ … ] }'
        : undefined;
    },
  };
}

/**
 * Returns the checked value. A fault in an optional field drops only that field; any other fault drops the
 * entry, with one problem for the first fault. A null field counts as absent.
 */
function check(
  entry: Entry,
  value: unknown,
  path: Path,
  complain: Complain,
  lost: LostHooks,
): Readonly<Record<string, unknown>> | undefined {
  const { kind, fields, needed, foreign, hintFor } = entry;
  if (!isRecord(value)) {
    complain(
      () => ({ path, message: `${said(value)}, so the ${kind} was discarded`, fix: entry.fix }),
      lost,
    );
    return undefined;
  }
  const names = Object.keys(fields);
  const fault = needed(value).find((name) => !fits(fields[name]!, value[name]));
  if (fault !== undefined) {
    complain(
      () => ({
        path: [...path, fault],
        message: `${said(value[fault])}, so the ${kind} was discarded`,
        fix: fields[fault]!.fix + slipHint(value, fault, names),
      }),
      lost,
    );
    return undefined;
  }
  reportUnknownKeys(value, path, names, foreign, complain, hintFor);
  const checked: Record<string, unknown> = {};
  for (const name of names) {
    const field = fields[name]!;
    const given = value[name];
    if (given === undefined || given === null) continue;
    if (fits(field, given)) {
      checked[name] = given;
      continue;
    }
    complain(() => ({
      path: [...path, name],
      message: `${faultIn(field, given)}, so ${field.fate ?? 'it was ignored'}`,
      fix: field.fix,
    }));
    // What was meant was stricter than nothing.
    if (name === 'onFailure') checked[name] = 'block';
    if (name === 'default') checked[name] = 'deny';
  }
  return checked;
}

/** Names the key that was probably meant for the missing one: a discarded entry is reported only once. */
function slipHint(value: object, missing: string, names: readonly string[]): string {
  const slip = Object.keys(value).find(
    (key) => !names.includes(key) && nearestKey(key, [missing]) !== undefined,
  );
  return slip === undefined ? '' : ` in place of ${JSON.stringify(slip)}`;
}

/** The longest delay that a timer accepts, in ms; a longer one would fire at once. */
const longestTimeout = 2_147_483_647;

/** Turns a checked settings entry into a definition with its defaults. */
function definitionOf(
  hook: HookEntry,
  group: OpenGroup,
  event: HookEventName,
  place: Path,
  from: HooksFromSource,
): HookDefinition {
  const command = whatRuns(hook);
  const matcher = group.matcher?.trim();
  return {
    event,
    type: hook.type,
    command,
    name: hook.name?.trim() || command || 'unknown-command',
    ...Object.fromEntries(
      asWritten.flatMap((key) => (hook[key] === undefined ? [] : [[key, hook[key]]])),
    ),
    ...(hook.default === 'deny' && { default: hook.default }),
    timeout: Math.min(hook.timeout ?? defaultTimeout, longestTimeout),
    ...(matcher !== undefined && { matcher }),
    sequential: group.sequential === true,
    ...onFailureOf(hook, from),
    ...(hook.leftBehind && { leftBehind: hook.leftBehind }),
    ...(hook.prestart && { prestart: true as const }),
    ...(hook.if !== undefined && { if: hook.if }),
    ...(hook.once && { once: true as const }),
    ...(hook.idempotent && { idempotent: true as const }),
    ...(hook.async && { async: true as const }),
    source: from.source,
    ...(from.file !== undefined && { file: from.file }),
    place: placeOf(place),
    ...(from.bundle && { bundle: from.bundle }),
    env: from.env ?? {},
  };
}

/** The field that says what a hook runs, by its type. */
const runs = {
  command: 'command',
  live: 'command',
  http: 'url',
  acs: 'url',
  module: 'module',
  prompt: 'prompt',
  cedar: 'policies',
} as const;

/** Returns what a hook runs, as its author wrote it; '' for a plugin. */
const whatRuns = (hook: HookEntry): string =>
  hook.type === 'function'
    ? (hook.call?.name ?? '')
    : hook.type === 'plugin'
      ? ''
      : (hook[runs[hook.type]] ?? '');

/** The hook's own `onFailure`, or else that of its file. */
function onFailureOf(
  { type, onFailure }: HookEntry,
  from: HooksFromSource,
): Pick<HookDefinition, 'onFailure' | 'failsOpen'> {
  if (onFailure === 'block') return { onFailure };
  if (onFailure !== undefined) return { failsOpen: true };
  // Policies that cannot be read may forbid anything.
  return from.onFailure || type === 'cedar' ? { onFailure: 'block' } : {};
}

/** Whether the event's matcher must be a regular expression but is not one. */
function isLiteral(event: HookEventName, matcher: string): boolean {
  if (event !== 'BeforeTool' && event !== 'AfterTool') return false;
  try {
    return !(matcher === '*' || new RegExp(matcher));
  } catch {
    return true;
  }
}
