import type { HookEventName } from '../../core/protocol/events.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { type Matcher, matchesAll } from '../parts/matching.ts';
import { compileMatcher as compilePlainly, usesOf } from '../plain/matcher.ts';
import { excludesNames } from '../parts/tool-table.ts';
import { toGeminiTool } from './tools.ts';

/** Whether an event's hooks run regardless of their matchers. */
export const ignoresMatchers = (event: HookEventName): boolean =>
  event === 'Notification' || usesOf(event) === 'ignored';

/**
 * Compiles a matcher of Gemini CLI's settings: an unanchored regular expression for tools, the exact
 * word for sessions and compression. Our own name for a tool matches too.
 */
export function compileMatcher(
  { event, matcher }: HookDefinition,
  onUndecided: (error: Error) => void,
): Matcher {
  if (ignoresMatchers(event)) return matchesAll;
  const fits = compilePlainly(event, matcher?.trim(), onUndecided);
  if (usesOf(event) !== 'regex') return fits;
  const namesOf = (ours: string): readonly string[] => {
    const theirs = toGeminiTool(ours);
    return theirs === ours || excludesNames(matcher ?? '') ? [theirs] : [theirs, ours];
  };
  return (subject, budget) => namesOf(subject).some((name) => fits(name, budget));
}

/** Returns a hook's matcher as its author wrote it; undefined if its event has no matchers. */
export const matcherOf = ({ event, matcher }: HookDefinition): string | undefined =>
  ignoresMatchers(event) ? undefined : matcher?.trim() || '*';
