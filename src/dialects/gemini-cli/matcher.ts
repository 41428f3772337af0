import type { HookEventName } from '../../protocol/events.ts';
import type { HookDefinition } from '../../settings/hook-definition.ts';
import type { RegexBudget } from '../bounded-regex.ts';
import { compileMatcher as compilePlainly, usesOf } from '../llxprt/index.ts';
import { excludesNames } from '../tool-table.ts';
import { toGeminiTool } from './tools.ts';

/** Whether hooks of an event run whatever their matchers are. */
export const ignoresMatchers = (event: HookEventName): boolean =>
  event === 'Notification' || usesOf(event) === 'ignored';

/**
 * A matcher of Gemini CLI's settings: for tools an unanchored regular expression, for sessions and
 * compression the exact word. Our own name of a tool fits too.
 */
export function compileMatcher(
  { event, matcher }: HookDefinition,
  onUndecided: (error: Error) => void,
): (subject: string, budget?: RegexBudget) => boolean {
  if (ignoresMatchers(event)) return () => true;
  const fits = compilePlainly(event, matcher?.trim(), onUndecided);
  if (usesOf(event) !== 'regex') return fits;
  const namesOf = (ours: string): readonly string[] => {
    const theirs = toGeminiTool(ours);
    return theirs === ours || excludesNames(matcher ?? '') ? [theirs] : [theirs, ours];
  };
  return (subject, budget) => namesOf(subject).some((name) => fits(name, budget));
}

/** What a hook is for, as its author wrote it; undefined where its event knows no matchers. */
export const matcherOf = ({ event, matcher }: HookDefinition): string | undefined =>
  ignoresMatchers(event) ? undefined : matcher?.trim() || '*';
