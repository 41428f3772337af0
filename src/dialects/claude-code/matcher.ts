import type { HookDefinition } from '../../settings/hook-definition.ts';
import { isRegex, RegexBudget } from '../bounded-regex.ts';
import { excludesNames } from '../tool-table.ts';
import { claudeEventOf, traitsOf, type ClaudeEventName } from './events.ts';
import { claudeNamesOf } from './tools.ts';

type Matcher = (subject: string, budget?: RegexBudget) => boolean;

/** A matcher that is a list of names, and no regular expression. */
const list = /^[\w\-,| ]*$/;

/** Our words for what a matcher is compared with, as Claude Code has them. */
const theirWords: Readonly<Partial<Record<ClaudeEventName, Readonly<Record<string, string>>>>> = {
  SessionStart: { compress: 'compact' },
  SessionEnd: { exit: 'other' },
  Notification: { ToolPermission: 'permission_prompt' },
};

/** One of our words for a source, a reason or a kind, as Claude Code has it. */
export const toClaudeWord = (event: ClaudeEventName, ours: string): string =>
  theirWords[event]?.[ours] ?? ours;

/** The same the other way. */
export const fromClaudeWord = (event: ClaudeEventName, theirs: string): string =>
  Object.entries(theirWords[event] ?? {}).find(([, word]) => word === theirs)?.[0] ?? theirs;

/** Whether a matcher is none, and so for everything. */
const isAll = (matcher: string): boolean => ['', '*'].includes(matcher.trim());

/** What is wrong with a matcher that can fit nothing; undefined where it may fit something. */
export function matcherFault(matcher: string): string | undefined {
  if (isAll(matcher) || list.test(matcher)) return undefined;
  if (/^\w+\(.*\)$/.test(matcher)) return 'is a permission rule, which as a matcher fits nothing';
  return isRegex(matcher) ? undefined : 'is no regular expression, so it fits nothing';
}

/**
 * A matcher of Claude Code's settings: a list of exact names with `|` or `,`, or else a regular
 * expression, unanchored. A name of ours fits too. One that cannot be decided in time fits, so that a
 * guard is never skipped.
 */
export function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const event = claudeEventOf(hook);
  const { matcher } = hook;
  if (matcher === undefined || isAll(matcher)) return () => true;
  if (traitsOf(event).subject === undefined) return () => true;
  const isTool = traitsOf(event).subject === 'tool_name';
  const namesOf = (subject: string): readonly string[] =>
    isTool ? claudeNamesOf(subject) : [toClaudeWord(event, subject)];
  // Names of files have points in them.
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

/** What a hook is for, as its author wrote it; undefined where its event knows no matchers. */
export function matcherOf(hook: HookDefinition): string | undefined {
  const { subject } = traitsOf(claudeEventOf(hook));
  return subject === undefined ? undefined : hook.matcher?.trim() || '*';
}
