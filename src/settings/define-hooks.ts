import type { z } from 'zod';
import {
  hookEventNames,
  isHookEventName,
  type HookEventName,
  type HookSource,
} from '../protocol/events.ts';
import { isRecord } from '../protocol/output.ts';
import type { HookDefinition } from './hook-definition.ts';
import type { SettingsProblem } from './problem.ts';
import { defaultTimeout, hookSchema, openGroupSchema } from './schema.ts';

/** Hooks as one source gives them, not yet checked. */
export interface HooksFromSource {
  readonly source: HookSource;
  /** The value of the settings' `hooks` key. */
  readonly hooks: unknown;
  readonly file?: string;
  /** Where in the file a path under `hooks` stands. */
  readonly locate?: (
    path: readonly (string | number)[],
  ) => { line: number; column: number } | undefined;
  /** Variables the commands of this source may use. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Keys under `hooks` that name no event but once were settings (C-04). */
const reserved: readonly string[] = ['enabled', 'disabled', 'notifications'];

type Path = readonly (string | number)[];

/**
 * Checks hooks entry by entry: a bad one is dropped with one problem that names file, place and
 * mend, and costs the others nothing (HOOK-082, 083, 191).
 */
export function defineHooks(from: HooksFromSource): {
  definitions: HookDefinition[];
  problems: SettingsProblem[];
} {
  const definitions: HookDefinition[] = [];
  const problems: SettingsProblem[] = [];
  const complain: Complain = (path, message, mend) => {
    const at = from.locate?.(path);
    problems.push({
      ...(from.file !== undefined && { file: from.file }),
      ...(at && { at }),
      place: placeOf(path),
      message,
      mend,
    });
  };
  if (from.hooks === undefined) return { definitions, problems };
  if (!isRecord(from.hooks)) {
    complain(
      [],
      `${said(from.hooks)}, so no hook was read`,
      'make it an object: { "BeforeTool": [ … ] }',
    );
    return { definitions, problems };
  }
  for (const [event, groups] of Object.entries(from.hooks)) {
    if (reserved.includes(event)) continue;
    if (!isHookEventName(event))
      complain(
        [event],
        'no such hook event, so it was skipped',
        `use one of ${hookEventNames.join(', ')}`,
      );
    else if (Array.isArray(groups))
      for (const [index, group] of groups.entries())
        definitions.push(...defineGroup(event, group, [event, index], from, complain));
    else
      complain(
        [event],
        `${said(groups)}, so it was discarded`,
        'make it an array of hook groups: [ { "hooks": [ … ] } ]',
      );
  }
  return { definitions, problems };
}

type Complain = (path: Path, message: string, mend: string) => void;

function* defineGroup(
  event: HookEventName,
  value: unknown,
  path: Path,
  from: HooksFromSource,
  complain: Complain,
): Generator<HookDefinition> {
  const group = check(openGroupSchema, value, 'group', ['sequential'], path, complain);
  for (const [index, entry] of (group?.hooks ?? []).entries()) {
    const place = [...path, 'hooks', index];
    const hook = check(
      hookSchema,
      entry,
      'hook',
      ['timeout', 'name', 'description'],
      place,
      complain,
    );
    if (hook === undefined) continue;
    const command = hook.type === 'command' ? hook.command : '';
    yield {
      event,
      type: hook.type,
      command,
      name: hook.name?.trim() || command || 'unknown-command',
      ...(hook.description !== undefined && { description: hook.description }),
      timeout: hook.timeout ?? defaultTimeout,
      ...(group?.matcher !== undefined && { matcher: group.matcher }),
      sequential: group?.sequential === true,
      source: from.source,
      ...(from.file !== undefined && { file: from.file }),
      place: placeOf(place),
      env: from.env ?? {},
    };
  }
}

/**
 * The value, when it fits. A fault in an optional field costs that field only; any other costs the
 * entry, with one problem for the first fault.
 */
function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
  entry: 'group' | 'hook',
  optional: readonly string[],
  path: Path,
  complain: Complain,
): T | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const isOptional = (issue: z.core.$ZodIssue): boolean => optional.includes(String(issue.path[0]));
  const fault = issues.find((issue) => !isOptional(issue));
  const at = (issue: z.core.$ZodIssue): Path => [...path, ...(issue.path as Path)];
  if (fault) {
    complain(
      at(fault),
      `${said(valueAt(value, fault))}, so the ${entry} was discarded`,
      fault.message,
    );
    return undefined;
  }
  for (const issue of issues)
    complain(at(issue), `${said(valueAt(value, issue))} and was ignored`, issue.message);
  const dropped = new Set(issues.map((issue) => issue.path[0]));
  const rest = Object.entries(value as object).filter(([key]) => !dropped.has(key));
  return check(schema, Object.fromEntries(rest), entry, [], path, complain);
}

const valueAt = (value: unknown, { path }: z.core.$ZodIssue): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);

const placeOf = (path: Path): string =>
  path.reduce<string>(
    (place, step) => (typeof step === 'number' ? `${place}[${step}]` : `${place}.${step}`),
    'hooks',
  );

/** What stands there, in a few words. */
function said(value: unknown): string {
  if (value === undefined) return 'is missing';
  if (Array.isArray(value)) return 'is an array';
  if (typeof value === 'object' && value !== null) return 'is an object';
  const text = JSON.stringify(value);
  return `is ${text.length > 60 ? `${text.slice(0, 57)}...` : text}`;
}
