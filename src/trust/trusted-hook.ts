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

/** What tells a hook's definition from those that were trusted; the trusted hook when it is one of them. */
export function definedAs(
  hook: Pick<HookFingerprint, 'event' | 'name' | 'place' | 'definition'>,
  trusted: readonly HookFingerprint[],
): HookFingerprint | string {
  const same = trusted.find(({ definition }) => definition === hook.definition);
  if (same) return same.refused ?? same;
  return isKnown(hook, trusted)
    ? 'its definition has changed since you trusted it'
    : 'it is new since you trusted this folder';
}

/** Whether a hook of the same event and name, or at the same place, is among the others. */
export const isKnown = (
  { event, name, place }: Pick<HookFingerprint, 'event' | 'name' | 'place'>,
  others: readonly Pick<HookFingerprint, 'event' | 'name' | 'place'>[],
): boolean =>
  others.some(
    (other) =>
      other.event === event &&
      (other.name === name || (other.place !== '' && other.place === place)),
  );
