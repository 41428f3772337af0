import { sameHookKey } from '../hooks/duplicates.ts';
import type { HookRegistry } from '../hooks/hook-registry.ts';
import type { RegisteredHook } from '../settings/hook-definition.ts';
import { type CheckProblem, ofHook } from './check-problem.ts';

/** Hooks of one dialect that are configured twice, for the same event and the same tools. */
export function duplicates(registry: HookRegistry): CheckProblem[] {
  const first = new Map<string, RegisteredHook>();
  return registry.getAllHooks().flatMap((hook) => {
    if (!hook.enabled || hook.type === 'function') return [];
    const same = sameHookKey(hook, registry.dialects);
    const key = JSON.stringify([hook.event, registry.matcherOf(hook), hook.if, same]);
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, hook);
      if (!registry.isHidden(hook)) return [];
      return [
        ofHook(hook, 'duplicate', 'never runs, because the same hook runs for every tool', fix),
      ];
    }
    const where = [other.file === hook.file ? undefined : other.file, other.place].filter(Boolean);
    return [ofHook(hook, 'duplicate', `is the same hook as ${where.join(' ')}`, fix)];
  });
}

const fix = 'remove one of the two';
