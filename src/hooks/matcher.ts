import type { HookEventName } from '../protocol/events.ts';
import { RegexTooSlowError, testBounded } from './bounded-regex.ts';

/** What a plan is made for: the tool's name, or a session event's source, reason or trigger. */
export type MatchSubject = string | undefined;

/** Whether a hook is meant for this subject. */
export type Matcher = (subject: string) => boolean;

const always: Matcher = () => true;

/** How an event uses its hooks' matchers (HOOK-021, 032, 041, 051, 059; C-19, C-20). */
export const matching: Readonly<Record<HookEventName, 'regex' | 'equal' | 'ignored'>> = {
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
 * A matcher of the settings, compiled: none, an empty one or `*` fits all; a regular expression is
 * tested unanchored; what is no regular expression is compared letter by letter (HOOK-087 to 089;
 * C-17, C-18). One that is too slow to decide fits, so that a guard is never skipped.
 */
export function compileMatcher(
  event: HookEventName,
  matcher: string | undefined,
  onTooSlow: (error: Error) => void,
): Matcher {
  const use = matching[event];
  if (use === 'ignored' || matcher === undefined || ['', '*'].includes(matcher.trim()))
    return always;
  if (use === 'equal') return (subject) => subject === matcher;
  let regex: RegExp;
  try {
    regex = new RegExp(matcher);
  } catch {
    return (subject) => subject === matcher;
  }
  return (subject) => {
    try {
      return testBounded(regex, subject);
    } catch (error) {
      if (!(error instanceof RegexTooSlowError)) throw error;
      onTooSlow(error);
      return true;
    }
  };
}
