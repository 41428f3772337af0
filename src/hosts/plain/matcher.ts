import type { HookEventName } from '../../core/points/hook-points.ts';
import type { LifecycleEvent } from '../../core/protocol/events.ts';
import { anyMatches, type Matcher, matchesAll } from '../parts/matching.ts';

/** How an event uses its hooks' matchers. */
export const matching: Readonly<Record<LifecycleEvent, 'regex' | 'equal' | 'ignored'>> = {
  BeforeTool: 'regex',
  AfterTool: 'regex',
  BeforeAgent: 'ignored',
  AfterAgent: 'ignored',
  BeforeModel: 'ignored',
  AfterModel: 'ignored',
  BeforeToolSelection: 'ignored',
  SessionStart: 'equal',
  SessionEnd: 'equal',
  PreCompress: 'equal',
  Notification: 'equal',
};

/**
 * How an event uses its hooks' matchers. Of the events that are not LLxprt's own, those of tools use them as
 * regular expressions, and the others compare them for equality.
 */
export const usesOf = (event: HookEventName): 'regex' | 'equal' | 'ignored' =>
  matching[event as LifecycleEvent] ?? (event.startsWith('Tool') ? 'regex' : 'equal');

/**
 * Compiles a matcher of the settings: a missing or empty one and `*` match everything, a regular
 * expression is tested unanchored, and any other text is compared letter by letter.
 */
export function compileMatcher(
  event: HookEventName,
  matcher: string | undefined,
  onUndecided: (error: Error) => void,
): Matcher {
  const use = usesOf(event);
  if (use === 'ignored' || matcher === undefined || ['', '*'].includes(matcher.trim()))
    return matchesAll;
  if (use === 'equal') return (subject) => subject === matcher;
  return (subject, budget) => anyMatches(matcher, [subject], onUndecided, budget);
}
