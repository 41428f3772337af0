import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { InstallSite, Scope } from '../../core/dialects/installation.ts';
import type { Writer } from '../../core/dialects/writer.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { openJsonFile } from '../../settings/files/edit-json-file.ts';
import { addToList } from '../../settings/files/edit-settings-text.ts';
import { disabledHooks, disabledLists, nameIn } from '../../settings/files/switches.ts';
import { isRecord } from '../../base/json.ts';
import { carryMatcher } from './carry-matcher.ts';

/** The hooks to migrate, and where. */
export interface MigrationOrder {
  readonly from: Dialect;
  readonly to: Dialect;
  readonly writer: Writer;
  readonly scope: Scope;
  readonly site: InstallSite;
  readonly hooks: readonly HookDefinition[];
}

/** The changes that a migration makes, and its losses. */
export interface Migration {
  readonly file: string;
  /** '' if there is no such file. */
  readonly before: string;
  readonly after: string;
  /** How many hooks are new there, and how many were there already. */
  readonly added: number;
  readonly known: number;
  /** How many of the originals are switched off in the file, so that each hook runs once. */
  readonly off: number;
  readonly lost: readonly string[];
  /** Differences too small to count as lost. */
  readonly notes: readonly string[];
  /** Makes the change. Throws a `SettingsEditError`. */
  readonly carryOut: () => void;
}

/**
 * Writes hooks of one dialect into a file of another. In a file of ours, the originals are switched off: both
 * files are read, and each hook is to run once.
 *
 * @throws {SettingsEditError} if the file cannot be changed without harm
 */
export function migrate(order: MigrationOrder): Migration {
  const { from, to, writer, scope, site, hooks } = order;
  const file = writer.file(scope, site);
  const { isThere, text, value, edit, inTheWay } = openJsonFile(file, writer.fresh);
  const there = isRecord(value['hooks']) ? value['hooks'] : {};
  const lost: string[] = [];
  const notes = new Set<string>();
  const carried = new Map<string, HookDefinition[]>();
  let [changed, added, known] = [text, 0, 0];
  for (const hook of hooks) {
    const tell = (what: string): void => {
      lost.push(`${placeOfHook(hook)}: ${what}`);
    };
    const written = writtenHook(order, hook, tell);
    if (written === undefined) continue;
    const { nativeEvent, entry, shell } = written;
    if (shell !== undefined)
      notes.add(
        `${from.name} runs these commands with sh, and ${to.name} with ${shell}, which understands nearly everything that sh does.`,
      );
    if (isOnesOwn(hook, scope)) tell(`only you have that file, and others have ${file} too`);
    carried.set(nativeEvent, [...(carried.get(nativeEvent) ?? []), hook]);
    const { [nativeEvent]: list } = there;
    if (Array.isArray(list) && list.some((one) => isDeepStrictEqual(plain(one), plain(entry)))) {
      known++;
      continue;
    }
    const next = addToList(changed, ['hooks', nativeEvent], entry);
    if (typeof next !== 'string') throw inTheWay(next);
    changed = next;
    added++;
  }
  for (const [nativeEvent, together] of carried)
    if (runOneByOne(from, to, together))
      lost.push(
        `${file} hooks.${nativeEvent}: its ${together.length} hooks run one after another there, and not in parallel`,
      );
  const off =
    to.settings === undefined ? [] : originalsOf(from, hooks, [...carried.values()].flat());
  const listed = disabledHooks(value);
  for (const name of off.filter((one) => !listed.includes(one))) {
    const next = addToList(changed, disabledLists[0], name);
    if (typeof next !== 'string') throw inTheWay(next);
    changed = next;
  }
  return {
    file,
    before: isThere ? text : '',
    after: changed === text && !isThere ? '' : changed,
    added,
    known,
    off: off.length,
    lost,
    notes: [...notes],
    carryOut: () => edit(() => migrate(order).after),
  };
}

/** Writes a hook as the target has it, and tells what is lost by that; undefined if it cannot have it. */
function writtenHook(
  { from, to, writer }: MigrationOrder,
  hook: HookDefinition,
  tell: (what: string) => void,
) {
  const [nativeEvent] = Object.entries(to.events).find(([, at]) => at === hook.event) ?? [];
  if (nativeEvent === undefined)
    return tell(`${to.name} has no event for ${hook.nativeEvent ?? hook.event}: not carried over`);
  const target = { dialect: to, writer, nativeEvent };
  const { matcher, lost: unlike, fitsNothing } = carryMatcher(from, hook, target);
  if (fitsNothing) return tell('its matcher matches nothing, so it never runs: not carried over');
  const { entry, lost: without, shell } = writer.write(hook, nativeEvent, matcher);
  if (entry === undefined) return tell(`${without.join('; ')}: not carried over`);
  for (const what of [...unlike, ...without, ...otherwise(from, to, hook, nativeEvent)]) tell(what);
  return { nativeEvent, entry, shell };
}

/** Returns how to disable the hooks that were carried over, except under names that others have too. */
function originalsOf(
  from: Dialect,
  all: readonly HookDefinition[],
  carried: readonly HookDefinition[],
): readonly string[] {
  const others = all.filter((hook) => !carried.includes(hook)).map(({ name }) => name);
  const names = carried.map(({ name }) => name).filter((name) => !others.includes(name));
  return [...new Set(names)].map((name) => nameIn(from.name, name));
}

/** Whether a project's hook is in a file that others who work there do not have. */
const isOnesOwn = ({ file = '' }: HookDefinition, scope: Scope): boolean =>
  scope === 'project' && /\.local\.[^./]+$/.test(basename(file));

/** Whether hooks that run in parallel in the source run one by one in the target. */
const runOneByOne = (from: Dialect, to: Dialect, together: readonly HookDefinition[]): boolean =>
  together.length > 1 && from.mode(together) === 'parallel' && to.mode(together) === 'sequential';

/**
 * The value as plain JSON data: a parser's objects have another prototype, so they would not compare equal.
 */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** A hook's file and place, or its name if it has neither. */
export const placeOfHook = ({
  file,
  place,
  name,
}: Pick<HookDefinition, 'file' | 'place' | 'name'>): string =>
  [file, place].filter(Boolean).join(' ') || name;

/** Differences outside the entry itself: other calls that it runs for, and variables that are not set. */
function otherwise(
  from: Dialect,
  to: Dialect,
  hook: HookDefinition,
  nativeEvent: string,
): string[] {
  return [...failedTools(from, to, hook, nativeEvent), ...variables(from, to, hook)];
}

/** Some hosts report a failed tool only as another event. */
function failedTools(
  from: Dialect,
  to: Dialect,
  { matcher: _, if: __, once: ___, ...hook }: HookDefinition,
  nativeEvent: string,
): string[] {
  if (hook.event !== 'AfterTool') return [];
  const failed = {
    tool_name: 'run_shell_command',
    tool_input: { command: 'false' },
    tool_response: { error: { message: 'failed' } },
  };
  const before = from.applies?.(hook, failed) ?? true;
  const then = to.applies?.({ ...hook, nativeEvent }, failed) ?? true;
  if (before === then) return [];
  return [`it runs there ${then ? 'after tools that failed, too' : 'not after tools that failed'}`];
}

/** Variables of the source that the command uses and the target does not set. */
function variables(
  from: Dialect,
  to: Dialect,
  { nativeEvent: _, ...hook }: HookDefinition,
): string[] {
  const asked = { ...hook, event: 'BeforeTool' } as const;
  const input = {
    session_id: '',
    transcript_path: '',
    cwd: '/',
    hook_event_name: 'BeforeTool',
    timestamp: '',
  } as const;
  const set = from.environment(asked, input);
  const then = to.environment(asked, input);
  const line = [hook.command, ...(hook.args ?? [])].join(' ');
  const named = new Set([...line.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!));
  return [...named]
    .filter((name) => Object.hasOwn(set, name) && !Object.hasOwn(then, name))
    .map((name) => `$${name}, which its command uses, is not set there`);
}
