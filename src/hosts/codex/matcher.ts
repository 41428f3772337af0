import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { anyMatches, type Matcher, matchesAll } from '../parts/matching.ts';
import { codexEventOf, traitsOf, type CodexEventName } from './events.ts';
import { fromRustRegex } from '../../base/rust-regex.ts';
import { codexNamesOf } from './tools.ts';

/** A matcher that is a list of exact names, not a regular expression. */
const list = /^[A-Za-z0-9_|]*$/;

const isAll = (matcher: string): boolean => matcher === '' || matcher === '*';

/** Returns Codex's word for our word for where a session comes from. */
export const toCodexSource = (ours: string): string => (ours === 'compress' ? 'compact' : ours);

/** The reverse of `toCodexSource`. */
export const fromCodexSource = (theirs: string): string =>
  theirs === 'compact' ? 'compress' : theirs;

/** What is wrong with a matcher; undefined if it can be used as it is. */
export function matcherFault(event: CodexEventName, matcher: string): string | undefined {
  if (traitsOf(event).subject === undefined || isAll(matcher)) return undefined;
  if (list.test(matcher) || fromRustRegex(matcher) !== undefined) return undefined;
  const why = 'is not a regular expression that Codex can read';
  return traitsOf(event).keepsDenials
    ? `${why}: Codex would skip its hooks, but here they run for everything`
    : `${why}, so its hooks are skipped`;
}

/**
 * Compiles a matcher of Codex: exact names with `|` if it has only letters, digits and `_`, or else an
 * unanchored regular expression. Before a tool, a matcher that is neither matches everything, so that
 * no guard is skipped.
 */
export function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const event = codexEventOf(hook);
  const { subject, keepsDenials } = traitsOf(event);
  const { matcher } = hook;
  if (matcher === undefined || isAll(matcher) || subject === undefined) return matchesAll;
  const namesOf = (ours: string): readonly string[] =>
    subject === 'tool_name' ? codexNamesOf(ours) : [toCodexSource(ours)];
  if (list.test(matcher)) {
    const names = new Set(matcher.split('|'));
    return (ours) => namesOf(ours).some((name) => names.has(name));
  }
  const regex = fromRustRegex(matcher);
  if (regex === undefined) return () => keepsDenials === true;
  return (ours, budget) => anyMatches(regex, namesOf(ours), onUndecided, budget);
}

/** Returns a hook's matcher as its author wrote it; undefined if its event has no matchers. */
export function matcherOf(hook: HookDefinition): string | undefined {
  const { subject } = traitsOf(codexEventOf(hook));
  return subject === undefined ? undefined : hook.matcher || '*';
}
