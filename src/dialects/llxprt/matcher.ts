import type { HookEventName, LifecycleEvent } from '../../protocol/events.ts';
import { RegexBudget } from '../bounded-regex.ts';

/** Whether a hook matches this subject; found out at the cost of a budget. */
type Matcher = (subject: string, budget?: RegexBudget) => boolean;

const always: Matcher = () => true;

/** How an event uses its hooks' matchers (HOOK-021, 032, 041, 051, 059; C-19, C-20). */
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

/** How an event uses its hooks' matchers; one of another host's names: by equality. */
export const usesOf = (event: HookEventName): 'regex' | 'equal' | 'ignored' =>
  matching[event as LifecycleEvent] ?? (event.startsWith('Tool') ? 'regex' : 'equal');

/**
 * A matcher of the settings: none, an empty one or `*` fits all; a regular expression is tested
 * unanchored; what is no regular expression is compared letter by letter (HOOK-087 to 089; C-17,
 * C-18). One that cannot be decided fits, so that a guard is never skipped.
 */
export function compileMatcher(
  event: HookEventName,
  matcher: string | undefined,
  onUndecided: (error: Error) => void,
): Matcher {
  const use = usesOf(event);
  if (use === 'ignored' || matcher === undefined || ['', '*'].includes(matcher.trim()))
    return always;
  if (use === 'equal') return (subject) => subject === matcher;
  return (subject, budget = new RegexBudget()) => {
    try {
      return budget.test(matcher, subject);
    } catch (error) {
      onUndecided(error as Error);
      return true;
    }
  };
}
