import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { isRegex } from '../../base/bounded-regex.ts';
import { anyMatches, type Matcher, matchesAll, toClaudeWord } from '../parts/matching.ts';
import { excludesNames } from '../parts/tool-table.ts';
import { qwenEventOf, traitsOf } from './events.ts';
import { exactNamesOf, toQwenTool } from './tools.ts';

const isAll = (matcher: string): boolean => ['', '*', '.*'].includes(matcher);

/** The parts of a matcher: its entries, and the regular expression of all of them. */
interface Parts {
  readonly entries: readonly string[];
  readonly source: string;
}

/** Splits a matcher. A `|` separates entries unless it is escaped, in a group or in a class. */
function partsOf(matcher: string): Parts {
  const entries = [''];
  let depth = 0;
  let isClass = false;
  for (const [part] of matcher.matchAll(/\\[^]|[^]/g)) {
    if (isClass) isClass = part !== ']';
    else if (part === '[') isClass = true;
    else if (part === '(') depth++;
    else if (part === ')') depth--;
    if (part === '|' && depth <= 0 && !isClass) entries.push('');
    else entries[entries.length - 1] += part;
  }
  const kept = entries.map((entry) => entry.trim()).filter(Boolean);
  return { entries: kept, source: kept.join('|') };
}

/** Returns what is wrong with a matcher that matches at most exact names; undefined if it may match more. */
export function matcherFault(given: string): string | undefined {
  const matcher = given.trim();
  if (isAll(matcher)) return undefined;
  const { entries, source } = partsOf(matcher);
  if (entries.length === 0) return 'names nothing, so it matches nothing';
  if (matcher.includes(',') && !/[{[(\\]/.test(matcher))
    return 'has a comma, which is not a separator here, so it matches nothing';
  return isRegex(source)
    ? undefined
    : 'is not a valid regular expression, so it matches only names that equal one of its entries';
}

/**
 * Compiles a matcher of Qwen Code's settings: a name or an alias, a list of them with `|`, or else one
 * unanchored regular expression, which is not tested with aliases. Our names match too. A matcher that
 * cannot be decided in time matches, so that a guard is never skipped.
 */
export function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const event = qwenEventOf(hook);
  const { subject } = traitsOf(event);
  const matcher = hook.matcher?.trim() ?? '';
  if (subject === undefined || isAll(matcher)) return matchesAll;
  const isTool = subject === 'tool_name';
  const { entries, source } = partsOf(matcher);
  if (entries.some(isAll)) return matchesAll;
  const words = new Set([matcher, ...entries]);
  const isTested = entries.length > 0 && isRegex(source);
  return (given, budget) => {
    const name = isTool ? toQwenTool(given) : toClaudeWord(event, given);
    const exact = isTool ? exactNamesOf(given) : [name, given];
    if (exact.some((one) => words.has(one))) return true;
    if (!isTested) return false;
    const tested = excludesNames(source) ? [name] : [...new Set([name, given])];
    return anyMatches(source, tested, onUndecided, budget);
  };
}

/** Returns a hook's matcher as its author wrote it; undefined if its event has no matchers. */
export function matcherOf(hook: HookDefinition): string | undefined {
  const { subject } = traitsOf(qwenEventOf(hook));
  return subject === undefined ? undefined : hook.matcher?.trim() || '*';
}
