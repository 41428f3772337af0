import type { HookPayload } from '../../../machines/hook-event.ts';
import { isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { anyMatches, isNotFailedTool, type Matcher } from '../parts/matching.ts';
import { cursorEventOf, traitsOf } from './events.ts';
import { callOf, toCursorTool } from './tools.ts';

const isAll = (matcher: string | undefined): boolean =>
  matcher === undefined || matcher === '' || matcher === '*';

/**
 * Compiles a matcher of Cursor, if it is compared with the type of a tool, the kind of an agent or a
 * fixed word.
 */
export function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const { calls, matched } = traitsOf(cursorEventOf(hook));
  const isForCall = (subject: string): boolean => calls === undefined || callOf(subject) === calls;
  const { matcher } = hook;
  if (isAll(matcher) || matched === undefined || matched === 'command') return isForCall;
  return (subject, budget) => {
    const text =
      matched === 'tool' ? toCursorTool(subject) : matched === 'agent' ? subject : matched.word;
    return isForCall(subject) && anyMatches(matcher!, [text], onUndecided, budget);
  };
}

/**
 * Whether a hook applies to what happened: the command's text, a tool that did not fail, a word that no
 * other dialect compares.
 */
export function applies(hook: HookDefinition, payload: HookPayload): boolean {
  const event = cursorEventOf(hook);
  const { matched } = traitsOf(event);
  const input = isRecord(payload['tool_input']) ? payload['tool_input'] : {};
  const { matcher } = hook;
  if (event === 'postToolUse') return isNotFailedTool(hook, payload);
  if (isAll(matcher)) return true;
  const { command } = input;
  if (matched === 'command')
    return anyMatches(matcher!, [typeof command === 'string' ? command : ''], () => undefined);
  return typeof matched === 'object' ? anyMatches(matcher!, [matched.word], () => undefined) : true;
}

/** Returns a hook's matcher as its author wrote it; undefined if its event has no matchers. */
export function matcherOf(hook: HookDefinition): string | undefined {
  const { matched } = traitsOf(cursorEventOf(hook));
  return matched === undefined ? undefined : hook.matcher || '*';
}
