import { defined, isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import {
  checkEntries,
  type Checked,
  type Complain,
  discarded,
  placeOf,
} from '../../core/definitions/problem.ts';
import type { EntryFormat, Part } from '../../core/dialects/writer.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import {
  fieldReader,
  groupEntries,
  type GroupEntry,
  type GroupFormat,
  isFlag,
  isSeconds,
  isText,
  isTexts,
  isTextsByName,
  longestTimeout,
  type ReadField,
  reportSeconds,
} from './hook-groups.ts';

export type HookKind = 'command' | 'http' | 'prompt';

type Fields = Readonly<Record<string, unknown>>;

/** An entry of which it is known what it runs. */
export interface KnownEntry<
  Event extends string,
  From extends HooksFromSource = HooksFromSource,
> extends Omit<GroupEntry<Event>, 'hook' | 'lost'> {
  readonly kind: HookKind;
  /** The program, URL or prompt. */
  readonly command: string;
  readonly fields: Fields;
  readonly field: ReadField;
  readonly from: From;
  readonly complain: Complain;
}

/** How the entries of a host's files become definitions, and back. */
export interface HookFormat<
  Event extends string,
  From extends HooksFromSource = HooksFromSource,
> extends Omit<GroupFormat<Event>, 'groupKeys' | 'hookKeys'> {
  /** Our name for an event, and the field that its matchers are compared with. */
  readonly traitsOf: (event: Event) => { readonly at: HookEventName; readonly subject?: string };
  /** What the fields of an entry are called: they are read and written by the same table. */
  readonly entry: EntryFormat;
  /** An entry without a kind is a command, although entries are written with it. */
  readonly typeIsOptional?: true;
  /** Fields of an entry that mean nothing here, or something that `more` reads. */
  readonly otherKeys?: readonly string[];
  /** The entries, if they are not simply in groups or lists by event, as `usual` reads them. */
  readonly entries?: (
    from: From,
    complain: Complain,
    usual: (from: HooksFromSource) => Iterable<GroupEntry<Event>>,
  ) => Iterable<GroupEntry<Event>>;
  /** The field that says what a command runs, if there are several. */
  readonly program?: (fields: Fields) => string;
  /** Why an entry cannot run as it is: one of its fields, what it should be, and what it is. */
  readonly refuses?: (
    entry: Omit<KnownEntry<Event, From>, 'field'>,
  ) => readonly [field: string, fix: string, value: unknown] | undefined;
  /** What else an entry says, apart from what was read of it; undefined if it is switched off. */
  readonly more: (entry: KnownEntry<Event, From>, read: Partial<Given>) => Given | undefined;
}

/** Parts of a definition; what is undefined does not stand in the entry. */
export type Given = {
  readonly [Name in keyof HookDefinition]?: HookDefinition[Name] | undefined;
} & Pick<HookDefinition, 'timeout'>;

/** What a part of a definition must be, in the kinds of hooks that have it. */
const readable: Readonly<
  Partial<
    Record<Part, readonly [fits: (value: unknown) => boolean, wanted: string, kind?: HookKind]>
  >
> = {
  args: [isTexts, 'an array of strings', 'command'],
  env: [isTextsByName, 'an object of strings'],
  name: [isText, 'a string'],
  description: [isText, 'a string'],
  cwd: [isText, 'a path'],
  async: [isFlag, 'true or false', 'command'],
  model: [isText, 'a string', 'prompt'],
  headers: [isTextsByName, 'an object of strings', 'http'],
  allowedEnv: [isTexts, 'an array of names', 'http'],
};

/** Checks a file entry by entry: a bad one is skipped, and the others still count. */
export function defineHooks<Event extends string, From extends HooksFromSource>(
  from: From,
  format: HookFormat<Event, From>,
): Checked<HookDefinition> {
  const { runs, fields, sequential } = format.entry;
  const known = Object.values({ ...runs, ...fields });
  const groups: GroupFormat<Event> = {
    ...format,
    groupKeys: ['matcher', ...(sequential === 'said' ? ['sequential'] : []), 'hooks'],
    hookKeys: ['type', 'timeout', ...known, ...(format.otherKeys ?? [])],
  };
  return checkEntries(from, function* (complain) {
    const usual = (hooks: HooksFromSource) => groupEntries(hooks, groups, complain);
    for (const entry of format.entries?.(from, complain, usual) ?? usual(from)) {
      const definition = defineHook(entry, from, format, complain);
      if (definition) yield definition;
    }
  });
}

function defineHook<Event extends string, From extends HooksFromSource>(
  { hook, lost, ...entry }: GroupEntry<Event>,
  from: From,
  format: HookFormat<Event, From>,
  complain: Complain,
): HookDefinition | undefined {
  const { event, group, matcher, path } = entry;
  const { runs, sequential } = format.entry;
  const typeIsOptional = format.typeIsOptional ?? format.entry.typeIsOptional;
  const discard = (field: string | undefined, value: unknown, fix: string): undefined =>
    discarded(complain, lost, field === undefined ? path : [...path, field], value, fix);
  const usual = typeIsOptional ? '{ "command": "…" }' : '{ "type": "command", "command": "…" }';
  if (!isRecord(hook)) return discard(undefined, hook, `make it an object: ${usual}`);
  const { type = typeIsOptional && 'command' } = hook;
  const kind = (Object.keys(runs) as HookKind[]).find((one) => one === type);
  if (kind === undefined)
    return discard('type', type, `only hooks of type ${Object.keys(runs).join(', ')} run here`);
  const name = (kind === 'command' && format.program?.(hook)) || runs[kind]!;
  const command = hook[name];
  if (!isText(command) || !/\S/.test(command))
    return discard(name, command, `say what to run: "${name}": "…"`);
  const whole = { ...entry, kind, command, fields: hook, from, complain };
  const refused = format.refuses?.(whole);
  if (refused) return discard(refused[0], refused[2], refused[1]);
  const { at, subject } = format.traitsOf(event);
  const field = fieldReader(hook, path, complain);
  const groupField = fieldReader(group, path.slice(0, -2), complain);
  const known = { ...whole, field };
  const read = partsIn(known, format.entry);
  const more = format.more(known, read);
  if (more === undefined) return undefined;
  const inGroup = sequential === 'said' && groupField('sequential', isFlag, 'true or false');
  return {
    event: at,
    type: kind,
    command,
    sequential: sequential === 'always' || inGroup === true,
    source: from.source,
    place: placeOf(path),
    ...(defined({
      nativeEvent: event,
      file: from.file,
      matcher: subject === undefined ? undefined : matcher?.trim(),
      ...read,
      ...more,
    }) as Pick<HookDefinition, 'name' | 'env' | 'timeout'>),
  };
}

/** Reads the parts of a definition for which the entry may have a field. */
function partsIn(
  { kind, command, field, from }: KnownEntry<string>,
  { fields }: EntryFormat,
): Partial<Given> {
  const said: Partial<Record<Part, unknown>> = {};
  for (const [part, key] of Object.entries(fields) as [Part, string][]) {
    const [fits, wanted, only = kind] = readable[part] ?? [];
    if (fits && only === kind)
      said[part] = field(key, (value): value is unknown => fits(value), wanted!);
  }
  return {
    ...(said as Partial<Given>),
    name: (said.name as string | undefined) || command,
    env: { ...from.env, ...(said.env as HookDefinition['env'] | undefined) },
    async: said.async === true || undefined,
    ...(kind === 'http' && {
      allowedEnv: (said.allowedEnv as readonly string[] | undefined) ?? [],
      allowedUrls: [command],
    }),
  };
}

/** How long a hook may take, in ms, by the number of seconds that it names. */
export function secondsIn(
  {
    field,
    fields,
    path,
    complain,
  }: Pick<KnownEntry<string>, 'field' | 'fields' | 'path' | 'complain'>,
  usual: number,
  name = 'timeout',
): number {
  reportSeconds(fields[name], path, name, complain);
  const seconds = field(name, isSeconds, 'a positive number of seconds') ?? usual;
  return Math.min(seconds * 1_000, longestTimeout);
}
