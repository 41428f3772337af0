import { isRegex, RegexBudget } from '../../base/bounded-regex.ts';
import { isRecord, inTable } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { HookPayload } from '../../../machines/hook-event.ts';

/** Whether a hook matches this subject; the test counts against a budget. */
export type Matcher = (subject: string, budget?: RegexBudget) => boolean;

/** Matches everything. */
export const matchesAll: Matcher = () => true;

/**
 * Whether a regular expression matches any of these names. One that cannot be decided in time does, so that
 * a guard is never skipped.
 */
export function anyMatches(
  regex: string,
  names: Iterable<string>,
  onUndecided: (error: Error) => void,
  budget = new RegexBudget(),
): boolean {
  try {
    for (const name of names) if (budget.test(regex, name)) return true;
    return false;
  } catch (error) {
    onUndecided(error as Error);
    return true;
  }
}

/** How the matchers of a host are read: as lists of exact names, or as regular expressions. */
export interface MatcherRules {
  /** The matchers that match everything, apart from an absent one. */
  readonly all?: readonly string[];
  /** What a list of exact names looks like, and what separates them; default: `|`. */
  readonly list?: RegExp;
  readonly separator?: RegExp | string;
  /** A matcher as a regular expression of ours; undefined if it is none. Default: as it is. */
  readonly regexOf?: (matcher: string) => string | undefined;
  /** The names of a subject that lists hold, and those that regular expressions are tested with. */
  readonly named: (subject: string) => Iterable<string>;
  readonly tested?: (subject: string) => Iterable<string>;
  /** Whether a matcher that is neither matches everything or nothing. */
  readonly otherwise?: boolean;
}

/**
 * Compiles a matcher. One that cannot be decided in time matches, so that a guard is never skipped.
 */
export function compileBy(
  matcher: string | undefined,
  rules: MatcherRules,
  onUndecided: (error: Error) => void,
): Matcher {
  const { all = ['', '*'], list, separator = '|', named, tested = named } = rules;
  if (matcher === undefined || all.includes(matcher)) return matchesAll;
  if (list?.test(matcher)) {
    const names = new Set(matcher.split(separator).map((name) => name.trim()));
    return (subject) => [...named(subject)].some((name) => name !== '' && names.has(name));
  }
  const regex = (rules.regexOf ?? validRegex)(matcher);
  if (regex === undefined) return () => rules.otherwise === true;
  return (subject, budget) => anyMatches(regex, tested(subject), onUndecided, budget);
}

const validRegex = (matcher: string): string | undefined =>
  isRegex(matcher) ? matcher : undefined;

/** Our words that matchers are compared with, as Claude Code and hosts that follow it have them, by event. */
const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  SessionStart: { compress: 'compact' },
  SessionEnd: { exit: 'other' },
  Notification: { ToolPermission: 'permission_prompt' },
};

/** Returns Claude Code's word for one of our words for a source, a reason or a kind. */
export const toClaudeWord = (event: string, ours: string): string =>
  inTable(words[event] ?? {}, ours) ?? ours;

/** Returns our word for one of Claude Code's. */
export const fromClaudeWord = (event: string, theirs: string): string =>
  Object.entries(words[event] ?? {}).find(([, word]) => word === theirs)?.[0] ?? theirs;

/** False for a failed tool at `AfterTool`, for hosts that report it only as another event, or not at all. */
export const isNotFailedTool = (
  { event }: Pick<HookDefinition, 'event'>,
  { tool_response: response }: HookPayload,
): boolean => event !== 'AfterTool' || !isRecord(response) || !isRecord(response['error']);

/**
 * Whether a hook matches an event that only hosts have, which no other code can tell: `subject` is the field
 * that its matcher is compared with.
 */
export function matchesHostEvent(
  hook: HookDefinition,
  payload: HookPayload,
  subject: string | undefined,
  compile: (hook: HookDefinition, onUndecided: (error: Error) => void) => Matcher,
): boolean {
  if (!hook.event.startsWith('host.')) return true;
  const value = subject === undefined ? undefined : payload[subject];
  if (typeof value !== 'string') return true;
  // Files are matched by name.
  const compared = subject === 'file_path' ? value.slice(value.lastIndexOf('/') + 1) : value;
  return compile(hook, () => undefined)(compared);
}
