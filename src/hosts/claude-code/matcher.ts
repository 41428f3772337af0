import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { isRegex, RegexBudget } from '../../base/bounded-regex.ts';
import { excludesNames } from '../parts/tool-table.ts';
import { claudeEventOf, traitsOf, type ClaudeEventName } from './events.ts';
import { claudeNamesOf } from './tools.ts';

type Matcher = (subject: string, budget?: RegexBudget) => boolean;

/** A matcher that is a list of names, not a regular expression. */
const list = /^[\w\-,| ]*$/;

/** Claude Code's words for our words that matchers are compared with. */
const theirWords: Readonly<Partial<Record<ClaudeEventName, Readonly<Record<string, string>>>>> = {
  SessionStart: { compress: 'compact' },
  SessionEnd: { exit: 'other' },
  Notification: { ToolPermission: 'permission_prompt' },
};

/** Returns Claude Code's word for one of our words for a source, a reason or a kind. */
export const toClaudeWord = (event: ClaudeEventName, ours: string): string =>
  theirWords[event]?.[ours] ?? ours;

/** The reverse of `toClaudeWord`. */
export const fromClaudeWord = (event: ClaudeEventName, theirs: string): string =>
  Object.entries(theirWords[event] ?? {}).find(([, word]) => word === theirs)?.[0] ?? theirs;

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
  if (matcher === undefined || isAll(matcher)) return () => true;
  if (traitsOf(event).subject === undefined) return () => true;
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
  return (subject, budget = new RegexBudget()) => {
    const ours = excludesNames(matcher) ? [] : [subject];
    try {
      return [...new Set([...namesOf(subject), ...ours])].some((name) =>
        budget.test(matcher, name),
      );
    } catch (error) {
      onUndecided(error as Error);
      return true;
    }
  };
}

/** Returns a hook's matcher as its author wrote it; undefined if its event has no matchers. */
export function matcherOf(hook: HookDefinition): string | undefined {
  const { subject } = traitsOf(claudeEventOf(hook));
  return subject === undefined ? undefined : hook.matcher?.trim() || '*';
}
