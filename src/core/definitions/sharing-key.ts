import type { HookDefinition } from './hook-definition.ts';

/*
 * What hooks may share with each other: processes, threads, connections, kept answers, and what is remembered
 * of them. A weaker level's hook must not be able to break or answer for a stronger level's, so only hooks
 * with the same authority and the same behaviour share anything.
 */

/** The fields that decide only when a hook runs, and what its end means. */
const whenAndAfter = {
  event: true,
  nativeEvent: true,
  matcher: true,
  if: true,
  once: true,
  sequential: true,
  timeout: true,
  concurrency: true,
  retries: true,
  prestart: true,
  async: true,
  wakes: true,
  loopLimit: true,
  idempotent: true,
  leftBehind: true,
  onFailure: true,
  failsOpen: true,
  inheritsOnFailure: true,
  name: true,
  description: true,
  place: true,
} as const satisfies Partial<Record<keyof HookDefinition, true>>;

/** What a registered hook says besides, which an unregistered one cannot. */
const ofRegistry = ['dialect', 'enabled'];

const known = new WeakMap<HookDefinition, string>();

/** Equal for hooks that may share something: the same level and file, and the same work. */
export function sharingKey(hook: HookDefinition): string {
  let key = known.get(hook);
  if (key === undefined) {
    const fields = Object.entries(hook)
      .filter(([field]) => !Object.hasOwn(whenAndAfter, field) && !ofRegistry.includes(field))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    key = JSON.stringify(fields);
    known.set(hook, key);
  }
  return key;
}
