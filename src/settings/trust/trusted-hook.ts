import type { Selection } from './selection.ts';
import type { ScriptFile } from './script-file.ts';

/** What a user trusts when they trust a hook. */
export interface HookFingerprint {
  readonly event: string;
  readonly name: string;
  /** Its path in the settings. */
  readonly place: string;
  /** The hash of everything that decides when and how it runs. */
  readonly definition: string;
  /** The definition in a form for people, to show what has changed. */
  readonly text: string;
  readonly scripts: readonly ScriptFile[];
  /**
   * Files that must stay absent because they would be used if they existed, by their paths in the project.
   */
  readonly absent: readonly string[];
  /** Patterns of files that it runs, each with those that match. */
  readonly selected: readonly Selection[];
  /** What could not be followed. */
  readonly unfollowed: readonly string[];
  /** It was disabled when it was trusted. */
  readonly disabled?: true;
  /** Why it may never run. */
  readonly refused?: string;
}

/** The properties that distinguish hooks. */
type Described = Pick<HookFingerprint, 'event' | 'name' | 'place' | 'definition'>;

/**
 * Returns the trusted hook with the same definition, or how the definition differs from those that were
 * trusted.
 */
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

/** Returns a hook as it was when it was trusted, even if its definition has changed. */
export const formerly = (
  hook: Described,
  trusted: readonly HookFingerprint[],
): HookFingerprint | undefined =>
  indexOf(trusted).byDefinition.get(hook.definition) ?? namesake(hook, trusted);

/** Returns the first hook with the same event and name, or else the one at the same place. */
export function namesake<T extends Described>(
  { event, name, place }: Pick<Described, 'event' | 'name' | 'place'>,
  others: readonly T[],
): T | undefined {
  const { byName, byPlace } = indexOf(others);
  return byName.get(key(event, name)) ?? byPlace.get(key(event, place));
}

/** Hooks by their distinguishing properties; the first of several equal ones. */
interface Index<T> {
  readonly byDefinition: ReadonlyMap<string, T>;
  readonly byName: ReadonlyMap<string, T>;
  readonly byPlace: ReadonlyMap<string, T>;
}

const indexes = new WeakMap<readonly Described[], Index<Described>>();

/** Returns the index of a list of hooks. It is built only once, however many hooks are looked up. */
function indexOf<T extends Described>(hooks: readonly T[]): Index<T> {
  const known = indexes.get(hooks) as Index<T> | undefined;
  if (known) return known;
  const firsts = (keyOf: (hook: T) => string): Map<string, T> =>
    new Map(hooks.toReversed().map((hook) => [keyOf(hook), hook]));
  const byPlace = firsts(({ event, place }) => key(event, place));
  // A program has no place in a file and so cannot be identified by one.
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
