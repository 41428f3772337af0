import type { z } from 'zod';
import {
  hookEventNames,
  isHookEventName,
  type HookEventName,
  type HookSource,
} from '../protocol/events.ts';
import { isRecord } from '../protocol/output.ts';
import { definitionOf, isLiteral, reserved } from './definition-of.ts';
import type { HookDefinition } from './hook-definition.ts';
import type { ParsedJson } from './parse-json.ts';
import { placeOf, said, type Path, type SettingsProblem } from './problem.ts';
import { hookSchema, openGroupSchema } from './schema.ts';

/** Hooks as one source gives them, not yet checked. */
export interface HooksFromSource {
  readonly source: HookSource;
  /** The value of the settings' `hooks` key. */
  readonly hooks: unknown;
  readonly file?: string;
  /** Where in the file the value at a path of the settings stands. */
  readonly locate?: ParsedJson['locate'] | undefined;
  /** Variables the commands of this source may use. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Checks hooks entry by entry: a bad one is dropped with one problem that names file, place and
 * mend, and costs the others nothing (HOOK-082, 083, 191).
 */
export function defineHooks(from: HooksFromSource): {
  definitions: HookDefinition[];
  problems: SettingsProblem[];
} {
  const problems: SettingsProblem[] = [];
  const complain: Complain = (path, message, mend) => {
    problems.push({
      ...(from.file !== undefined && { file: from.file }),
      ...(from.locate && { at: from.locate(path) }),
      place: placeOf(path),
      message,
      mend,
    });
  };
  return { definitions: [...defineAll(from, complain)], problems };
}

type Complain = (path: Path, message: string, mend: string) => void;

function* defineAll(from: HooksFromSource, complain: Complain): Generator<HookDefinition> {
  const { hooks } = from;
  if (isRecord(hooks)) {
    for (const [event, groups] of Object.entries(hooks))
      if (!reserved.includes(event)) yield* defineEvent(event, groups, from, complain);
  } else if (hooks !== undefined && hooks !== null)
    complain(
      ['hooks'],
      `${said(hooks)}, so no hook was read`,
      'make it an object: { "BeforeTool": [ … ] }',
    );
}

function* defineEvent(
  event: string,
  groups: unknown,
  from: HooksFromSource,
  complain: Complain,
): Generator<HookDefinition> {
  const path = ['hooks', event];
  if (!isHookEventName(event)) {
    const meant = hookEventNames.filter((name) => name.toLowerCase() === event.toLowerCase());
    const names = meant.length > 0 ? meant : ['one of', hookEventNames.join(', ')];
    complain(path, 'there is no such event, so it was skipped', `use ${names.join(' ')}`);
  } else if (Array.isArray(groups))
    for (const [index, group] of groups.entries())
      yield* defineGroup(event, group, [...path, index], from, complain);
  else
    complain(
      path,
      `${said(groups)}, so it was discarded`,
      'make it an array of hook groups: [ { "hooks": [ … ] } ]',
    );
}

function* defineGroup(
  event: HookEventName,
  value: unknown,
  path: Path,
  from: HooksFromSource,
  complain: Complain,
): Generator<HookDefinition> {
  const group = check(openGroupSchema, value, 'group', ['sequential'], path, complain);
  if (group === undefined) return;
  const matcher = group.matcher?.trim();
  if (matcher !== undefined && isLiteral(event, matcher))
    complain(
      [...path, 'matcher'],
      `${said(matcher)}, which is no regular expression, so it fits only a tool of exactly that name`,
      'write a regular expression, such as "write_file|replace"; "*" alone fits every tool',
    );
  for (const [index, entry] of group.hooks.entries()) {
    const place = [...path, 'hooks', index];
    const hook = check(
      hookSchema,
      entry,
      'hook',
      ['timeout', 'name', 'description', 'onFailure'],
      place,
      complain,
    );
    if (hook === undefined) continue;
    yield {
      ...definitionOf(hook, group, event, place, from),
      ...(blocksOnFailure(entry) && { onFailure: 'block' }),
    };
  }
}

/** Whoever writes something else than "allow" means a guard: a misspelt one is not left open. */
const blocksOnFailure = (entry: unknown): boolean =>
  isRecord(entry) && ![undefined, null, 'allow'].includes(entry['onFailure'] as string);

/** What becomes of an optional field that does not fit. */
function fateOf(field: unknown): string {
  return field === 'onFailure' ? 'it counts as "block"' : 'it was ignored';
}

/**
 * The value, when it fits. A fault in an optional field costs that field only; any other costs the
 * entry, with one problem for the first fault. A field that is null is as good as absent.
 */
function check<T>(
  schema: z.ZodType<T>,
  given: unknown,
  entry: 'group' | 'hook',
  optional: readonly string[],
  path: Path,
  complain: Complain,
): T | undefined {
  const value = isRecord(given) ? without(given, (_, field) => field === null) : given;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const at = (issue: z.core.$ZodIssue): Path => [...path, ...(issue.path as Path)];
  const fault = issues.find((issue) => !optional.includes(String(issue.path[0])));
  if (fault) {
    complain(
      at(fault),
      `${said(valueAt(given, fault))}, so the ${entry} was discarded`,
      fault.message,
    );
    return undefined;
  }
  for (const issue of issues)
    complain(
      at(issue),
      `${said(valueAt(given, issue))}, so ${fateOf(issue.path[0])}`,
      issue.message,
    );
  const dropped = issues.map((issue) => issue.path[0]);
  const rest = without(value as object, (key) => dropped.includes(key));
  return check(schema, rest, entry, optional, path, complain);
}

const without = (value: object, drop: (key: string, field: unknown) => boolean): object =>
  Object.fromEntries(Object.entries(value).filter(([key, field]) => !drop(key, field)));

const valueAt = (value: unknown, { path }: z.core.$ZodIssue): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);
