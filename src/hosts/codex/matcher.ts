import { fromRustRegex } from '../../base/rust-regex.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { compileBy, type Matcher, matchesAll, toClaudeWord } from '../parts/matching.ts';
import { codexNamesOf } from './calls.ts';
import { codexEventOf, traitsOf, type CodexEventName } from './events.ts';

/** A matcher that is a list of exact names, not a regular expression. */
const list = /^[A-Za-z0-9_|]*$/;

/** What is wrong with a matcher; undefined if it can be used as it is. */
export function matcherFault(event: CodexEventName, matcher: string): string | undefined {
  const { subject, keepsDenials } = traitsOf(event);
  if (subject === undefined || matcher === '*' || list.test(matcher)) return undefined;
  if (fromRustRegex(matcher) !== undefined) return undefined;
  const why = 'is not a regular expression that Codex can read';
  return keepsDenials
    ? `${why}: Codex would skip its hooks, but here they run for everything`
    : `${why}, so its hooks are skipped`;
}

/**
 * Compiles a matcher of Codex: exact names with `|` if it has only letters, digits and `_`, or else an
 * unanchored regular expression. Before a tool, a matcher that is neither matches everything, so that
 * no guard is skipped.
 */
function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const { subject, keepsDenials } = traitsOf(codexEventOf(hook));
  if (subject === undefined) return matchesAll;
  return compileBy(
    hook.matcher,
    {
      list,
      regexOf: fromRustRegex,
      named: (ours) =>
        subject === 'tool_name' ? codexNamesOf(ours) : [toClaudeWord('SessionStart', ours)],
      otherwise: keepsDenials === true,
    },
    onUndecided,
  );
}

/** How matchers are compared, and with what. */
export const matching = {
  subjectOf: (hook: HookDefinition): string | undefined => traitsOf(codexEventOf(hook)).subject,
  matcherOf: (hook: HookDefinition): string | undefined =>
    matching.subjectOf(hook) === undefined ? undefined : hook.matcher || '*',
  compileMatcher,
};
