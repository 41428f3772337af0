import type { FolderDigest } from './folder-digest.ts';
import type { ScriptFile } from './script-file.ts';

/** What a user trusts when they trust a hook. */
export interface HookFingerprint {
  readonly event: string;
  readonly name: string;
  /** Where in the settings it stood. */
  readonly place: string;
  /** The hash of what decides when and how it runs. */
  readonly definition: string;
  /** That for people, to show what has changed. */
  readonly text: string;
  readonly scripts: readonly ScriptFile[];
  /** Files that must stay away, for they would be used if they were there; by their paths in the project. */
  readonly absent: readonly string[];
  /** Why the whole folder counts. */
  readonly unfollowed: readonly string[];
  readonly folder?: FolderDigest;
  /** It was switched off when it was trusted. */
  readonly disabled?: true;
  /** Why it may never run. */
  readonly refused?: string;
}

/** What tells one hook from another. */
type Described = Pick<HookFingerprint, 'event' | 'name' | 'place' | 'definition'>;

/** What tells a hook's definition from those that were trusted; the trusted hook when it is one of them. */
export function definedAs(
  hook: Described,
  trusted: readonly HookFingerprint[],
): HookFingerprint | string {
  const same = indexOf(trusted).byDefinition.get(hook.definition);
  if (same) return same.refused ?? same;
  return namesake(hook, trusted)
    ? 'its definition has changed since you trusted it'
    : 'it is new since you trusted this folder';
}

/** What a hook was when it was trusted, be its definition another now. */
export const formerly = (
  hook: Described,
  trusted: readonly HookFingerprint[],
): HookFingerprint | undefined =>
  indexOf(trusted).byDefinition.get(hook.definition) ?? namesake(hook, trusted);

/** The first hook of the same event and name, else the one at the same place. */
export function namesake<T extends Described>(
  { event, name, place }: Pick<Described, 'event' | 'name' | 'place'>,
  others: readonly T[],
): T | undefined {
  const { byName, byPlace } = indexOf(others);
  return byName.get(key(event, name)) ?? byPlace.get(key(event, place));
}

/** Hooks by what tells them apart; of several alike the first. */
interface Index<T> {
  readonly byDefinition: ReadonlyMap<string, T>;
  readonly byName: ReadonlyMap<string, T>;
  readonly byPlace: ReadonlyMap<string, T>;
}

const indexes = new WeakMap<readonly Described[], Index<Described>>();

/** A list of hooks is gone through once, however many hooks are looked for in it. */
function indexOf<T extends Described>(hooks: readonly T[]): Index<T> {
  const known = indexes.get(hooks) as Index<T> | undefined;
  if (known) return known;
  const firsts = (keyOf: (hook: T) => string): Map<string, T> =>
    new Map(hooks.toReversed().map((hook) => [keyOf(hook), hook]));
  const byPlace = firsts(({ event, place }) => key(event, place));
  // A program without a place in a file has none to be known by.
  for (const [at, { place }] of byPlace) if (place === '') byPlace.delete(at);
  const index = {
    byDefinition: firsts(({ definition }) => definition),
    byName: firsts(({ event, name }) => key(event, name)),
    byPlace,
  };
  indexes.set(hooks, index);
  return index;
}

const key = (event: string, text: string): string => `${event}\0${text}`;
