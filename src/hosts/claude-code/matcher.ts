import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { isRegex } from '../../base/bounded-regex.ts';
import { anyMatches, type Matcher, matchesAll, toClaudeWord } from '../parts/matching.ts';
import { excludesNames } from '../parts/tool-table.ts';
import { claudeEventOf, traitsOf } from './events.ts';
import { claudeNamesOf } from './tools.ts';

/** A matcher that is a list of names, not a regular expression. */
const list = /^[\w\-,| ]*$/;

/** Whether a matcher is empty or `*`, and so matches everything. */
const isAll = (matcher: string): boolean => ['', '*'].includes(matcher.trim());

/** Why a matcher can never match anything; undefined if it can. */
export function matcherFault(matcher: string): string | undefined {
  if (isAll(matcher) || list.test(matcher)) return undefined;
  if (/^\w+\(.*\)$/.test(matcher))
    return 'is a permission rule, so as a matcher it matches nothing';
  return isRegex(matcher) ? undefined : 'is not a valid regular expression, so it matches nothing';
}

/**
 * Compiles a matcher of Claude Code's settings: a list of exact names with `|` or `,`, or else an
 * unanchored regular expression. Our own names match too. A matcher that cannot be decided in time
 * matches, so that a guard is never skipped.
 */
export function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const event = claudeEventOf(hook);
  const { matcher } = hook;
  if (matcher === undefined || isAll(matcher)) return matchesAll;
  if (traitsOf(event).subject === undefined) return matchesAll;
  const isTool = traitsOf(event).subject === 'tool_name';
  const namesOf = (subject: string): readonly string[] =>
    isTool ? claudeNamesOf(subject) : [toClaudeWord(event, subject)];
  // File names contain dots.
  if (list.test(matcher) || event === 'FileChanged') {
    const names = new Set(
      matcher
        .split(/[|,]/)
        .map((name) => name.trim())
        .filter(Boolean),
    );
    return (subject) => [...namesOf(subject), subject].some((name) => names.has(name));
  }
  if (matcherFault(matcher) !== undefined) return () => false;
  return (subject, budget) => {
    const ours = excludesNames(matcher) ? [] : [subject];
    return anyMatches(matcher, new Set([...namesOf(subject), ...ours]), onUndecided, budget);
  };
}

/** Returns a hook's matcher as its author wrote it; undefined if its event has no matchers. */
export function matcherOf(hook: HookDefinition): string | undefined {
  const { subject } = traitsOf(claudeEventOf(hook));
  return subject === undefined ? undefined : hook.matcher?.trim() || '*';
}
