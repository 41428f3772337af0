import type { HookPayload } from '../../../machines/hook-event.ts';
import { isRecord } from '../../base/json.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { RegexBudget } from '../../base/bounded-regex.ts';
import { cursorEventOf, traitsOf } from './events.ts';
import { callOf, toCursorTool } from './tools.ts';

type Matcher = (subject: string, budget?: RegexBudget) => boolean;

const isAll = (matcher: string | undefined): boolean =>
  matcher === undefined || matcher === '' || matcher === '*';

/** Whether an unanchored regular expression matches; one that cannot be decided in time does. */
function fits(
  matcher: string,
  text: string,
  onUndecided: (error: Error) => void,
  budget = new RegexBudget(),
): boolean {
  try {
    return budget.test(matcher, text);
  } catch (error) {
    onUndecided(error as Error);
    return true;
  }
}

/**
 * Compiles a matcher of Cursor, if it is compared with the type of a tool, the kind of an agent or a
 * fixed word.
 */
export function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const { calls, matched } = traitsOf(cursorEventOf(hook));
  const isMeant = (subject: string): boolean => calls === undefined || callOf(subject) === calls;
  const { matcher } = hook;
  if (isAll(matcher) || matched === undefined || matched === 'command') return isMeant;
  return (subject, budget) => {
    const text =
      matched === 'tool' ? toCursorTool(subject) : matched === 'agent' ? subject : matched.word;
    return isMeant(subject) && fits(matcher!, text, onUndecided, budget);
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
  if (event === 'postToolUse') {
    const { tool_response: response } = payload;
    return !isRecord(response) || !isRecord(response['error']);
  }
  if (isAll(matcher)) return true;
  const { command } = input;
  if (matched === 'command')
    return fits(matcher!, typeof command === 'string' ? command : '', () => undefined);
  return typeof matched === 'object' ? fits(matcher!, matched.word, () => undefined) : true;
}

/** Returns a hook's matcher as its author wrote it; undefined if its event has no matchers. */
export function matcherOf(hook: HookDefinition): string | undefined {
  const { matched } = traitsOf(cursorEventOf(hook));
  return matched === undefined ? undefined : hook.matcher || '*';
}
