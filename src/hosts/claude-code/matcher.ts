import { isRegex } from '../../base/bounded-regex.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { compileBy, type Matcher, matchesAll, toClaudeWord } from '../parts/matching.ts';
import { excludesNames } from '../parts/tool-table.ts';
import { claudeNamesOf } from './calls.ts';
import { claudeEventOf, traitsOf } from './events.ts';

/** A matcher that is a list of names, not a regular expression. */
const list = /^[\w\-,| ]*$/;

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
 * unanchored regular expression. Our own names match too.
 */
function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const event = claudeEventOf(hook);
  const { matcher = '' } = hook;
  const { subject } = traitsOf(event);
  if (isAll(matcher) || subject === undefined) return matchesAll;
  const namesOf = (given: string): readonly string[] =>
    subject === 'tool_name' ? claudeNamesOf(given) : [toClaudeWord(event, given)];
  return compileBy(
    matcher,
    {
      // File names contain dots.
      list: event === 'FileChanged' ? /^/ : list,
      separator: /[|,]/,
      regexOf: (regex) => (matcherFault(regex) === undefined ? regex : undefined),
      named: (given) => [...namesOf(given), given],
      tested: (given) => new Set([...namesOf(given), ...(excludesNames(matcher) ? [] : [given])]),
    },
    onUndecided,
  );
}

/** How matchers are compared, and with what. */
export const matching = {
  subjectOf: (hook: HookDefinition): string | undefined => traitsOf(claudeEventOf(hook)).subject,
  compileMatcher,
};
