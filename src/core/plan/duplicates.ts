import type { Dialect } from '../dialects/dialect.ts';
import { authorities, hookSources } from '../protocol/events.ts';
import { defined } from '../../base/json.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';

/*
 * The same hook in several places runs once: the entry of the strongest level, and no entry can make it
 * guard less than another wants.
 */

/** A value that several entries of a hook give, that of the entry that runs first. */
type Values<Field extends keyof RegisteredHook> = readonly [
  RegisteredHook[Field],
  ...RegisteredHook[Field][],
];

/**
 * What a field becomes: `own` is the value of the entry that runs, `first` that of the first in plan order,
 * and hooks that are not `alike` in a field are two hooks, because nobody can say which of them guards more.
 */
type Rule<Field extends keyof RegisteredHook> =
  | 'own'
  | 'first'
  | 'alike'
  | ((values: Values<Field>) => RegisteredHook[Field]);

const ifAll = <Value>(values: readonly Value[]): Value | undefined =>
  values.every(Boolean) ? values[0] : undefined;

const ifAny = <Value>(values: readonly Value[]): Value | undefined => values.find(Boolean);

/** The value of each field under which a hook guards most. */
export const guardsMost: { readonly [Field in keyof Required<RegisteredHook>]: Rule<Field> } = {
  // What runs, and with what.
  dialect: 'alike',
  event: 'alike',
  nativeEvent: 'alike',
  type: 'alike',
  command: 'alike',
  args: 'alike',
  env: 'alike',
  cwd: 'alike',
  shell: 'alike',
  call: 'alike',
  standsIn: 'alike',
  headers: 'alike',
  allowedEnv: 'alike',
  allowedEnvKey: 'alike',
  allowedUrls: 'alike',
  tokenFile: 'alike',
  tls: 'alike',
  agent: 'alike',
  secretFile: 'alike',
  schema: 'own',
  entities: 'alike',
  default: 'alike',
  request: 'alike',
  model: 'alike',
  stream: 'alike',
  // When it runs. A plan holds only entries whose matchers match, and one that matches is enough.
  matcher: 'own',
  if: ifAll,
  once: ifAll,
  enabled: ifAny as () => boolean,
  async: ifAll,
  wakes: ifAny,
  sequential: (values) => values.some(Boolean),
  // How long it may take: a guard that is cut off denies nothing by itself.
  timeout: (values) => Math.max(...values),
  retries: (values) => most(values, 0),
  loopLimit: (values) => (values.includes(undefined) ? undefined : most(values, 0)),
  // How many events a live process handles at once: fewer is always right.
  concurrency: (values) => Math.min(...values.map((value) => value ?? 1)),
  // Starting it with its event, and asking it again only where every author allows it, is always right.
  prestart: ifAll,
  idempotent: ifAll,
  onFailure: ifAny,
  failsOpen: ifAll,
  inheritsOnFailure: ifAll,
  // What it leaves running is for the stronger level to say: it denies nothing.
  leftBehind: 'own',
  // Whose it is.
  source: 'own',
  file: 'own',
  place: 'own',
  bundle: 'own',
  description: 'own',
  name: 'first',
};

function most(values: readonly (number | undefined)[], otherwise: number): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length > 0 ? Math.max(otherwise, ...given) : undefined;
}

type Dialects = ReadonlyMap<string, Dialect>;

/** Identifies a hook across all dialects, as its own host does. */
export const identityOf = (hook: RegisteredHook, dialects: Dialects): string =>
  `${hook.dialect}:${dialects.get(hook.dialect)!.identity(hook)}`;

/** The folders of extensions and bundles; they matter only to commands that name them. */
const folders: readonly string[] = ['extensionPath', 'workspacePath', 'bundlePath'];

const alikeFields = (Object.keys(guardsMost) as (keyof RegisteredHook)[]).filter(
  // Functions have no text; the dialect tells them apart.
  (field) => guardsMost[field] === 'alike' && field !== 'call' && field !== 'env',
);

/** Equal for entries that are one hook, whatever the `if` of each says. */
export function sameHookKey(hook: RegisteredHook, dialects: Dialects): string {
  const identity = identityOf(hook, dialects);
  if (dialects.get(hook.dialect)!.replacesByName) return identity;
  const { env, command } = hook;
  const variables = Object.entries(env).filter(
    ([name]) => !folders.includes(name) || command.includes(name),
  );
  // Only the dialect knows what the matchers of a host's own events are compared with.
  const matcher = hook.event.startsWith('host.') ? hook.matcher : undefined;
  return JSON.stringify([identity, variables, matcher, ...alikeFields.map((field) => hook[field])]);
}

/** Whether an entry runs rather than another entry of the same hook that comes later in the plan. */
export function isStronger(
  { source: one }: RegisteredHook,
  { source: other, dialect }: RegisteredHook,
  dialects: Dialects,
): boolean {
  const order = dialects.get(dialect)!.replacesByName ? hookSources : authorities;
  return order.indexOf(one) < order.indexOf(other);
}

/** One of the entries of a hook. */
export interface Entry {
  /** The entry as it was written, and as it is trusted. */
  readonly written: RegisteredHook;
  /** How the hook runs through this entry. */
  readonly runs: RegisteredHook;
}

/**
 * Groups entries that are one hook, in plan order, each group with its strongest entry first. Entries with
 * different `if` rules are one hook only if another entry has none.
 */
export function mergedEntries(
  hooks: readonly RegisteredHook[],
  dialects: Dialects,
): (readonly [Entry, ...Entry[]])[] {
  return groupsBy(hooks, (hook) => sameHookKey(hook, dialects)).flatMap((group) => {
    if (group.some((hook) => hook.if === undefined)) return [entriesOf(group, dialects)];
    return groupsBy(group, (hook) => hook.if).map((alike) => entriesOf(alike, dialects));
  });
}

function groupsBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Item[][] {
  const groups = new Map<unknown, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

function entriesOf(
  group: readonly RegisteredHook[],
  dialects: Dialects,
): readonly [Entry, ...Entry[]] {
  const sorted = group.toSorted((one, other) =>
    isStronger(one, other, dialects) ? -1 : Number(isStronger(other, one, dialects)),
  );
  const entries = sorted.map((written) => ({ written, runs: strictest(written, group) }));
  return entries as [Entry, ...Entry[]];
}

/** Returns an entry with the values of all entries under which the hook guards most. */
function strictest(own: RegisteredHook, group: readonly RegisteredHook[]): RegisteredHook {
  if (group.length === 1) return own;
  const others = group.filter((hook) => hook !== own);
  const merged: Record<string, unknown> = {};
  for (const field of Object.keys(guardsMost) as (keyof RegisteredHook)[]) {
    const rule = guardsMost[field] as Rule<typeof field>;
    if (rule === 'own' || rule === 'alike') merged[field] = own[field];
    else if (rule === 'first') merged[field] = group[0]![field];
    else
      merged[field] = (rule as (values: unknown) => unknown)(
        [own, ...others].map((hook) => hook[field]),
      );
  }
  return defined(merged) as unknown as RegisteredHook;
}
