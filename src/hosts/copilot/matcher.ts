import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import { isRegex } from '../../base/bounded-regex.ts';
import { anyMatches, type Matcher, matchesAll } from '../parts/matching.ts';
import { copilotEventOf, traitsOf, type CopilotEvent } from './events.ts';
import { pascalToolNames, toCopilotTool, toPascalTool } from './tools.ts';

/** A matcher in Pascal case that is a list of names, not a regular expression. */
const list = /^\w[\w-]*(?:\|\w[\w-]*)*$/;

const isAll = (matcher: string): boolean => matcher === '*' || matcher === '**';

/** Why a matcher can never match anything; undefined if it can. */
export function matcherFault(event: CopilotEvent, matcher: string): string | undefined {
  const { subject } = traitsOf(event);
  if (subject === undefined) return undefined;
  if (matcher === '') return 'is empty, so the hook never runs';
  if (event.isPascal && isAll(matcher)) return undefined;
  if (!isRegex(anchored(matcher)))
    return 'is not a valid regular expression, so it matches nothing';
  if (event.isPascal || subject !== 'tool_name') return undefined;
  const names = matcher.split('|');
  return names.every((name) => pascalToolNames.has(name))
    ? `uses the tool names of PascalCase hooks, but ${event.name} uses other names, so it matches nothing`
    : undefined;
}

/** Copilot anchors a regular expression at both ends. */
const anchored = (matcher: string): string => `^(?:${matcher})$`;

/**
 * Returns the names that a matcher is compared with for one of our subjects: in lists, and by regular
 * expressions.
 */
function namesOf(event: CopilotEvent, subject: string): { names: string[]; tested: string[] } {
  if (traitsOf(event).subject !== 'tool_name') return { names: [subject], tested: [subject] };
  const runtime = toCopilotTool(subject);
  // A request for permission reports a file that is written as edited.
  const isWritten = event.point === 'permissionRequest' && runtime === 'create';
  const own = isWritten ? ['edit', runtime] : [runtime];
  if (!event.isPascal) return { names: own, tested: own };
  const pascal = toPascalTool(subject);
  const aliases = pascal === 'Agent' ? ['Task'] : isWritten ? ['Edit'] : [];
  return { names: [...own, pascal, ...aliases], tested: [pascal, ...aliases] };
}

/**
 * Compiles a matcher of Copilot's hooks: an anchored regular expression on Copilot's own name for a
 * tool. In Pascal case it is `*` for everything, a list of exact names, or an anchored regular
 * expression on Claude Code's name. A matcher that cannot be decided in time matches, so that a guard
 * is never skipped.
 */
function compileMatcher(hook: HookDefinition, onUndecided: (error: Error) => void): Matcher {
  const event = copilotEventOf(hook);
  const { matcher } = hook;
  if (matcher === undefined || traitsOf(event).subject === undefined) return matchesAll;
  if (event.isPascal && isAll(matcher)) return matchesAll;
  if (matcher === '' || !isRegex(anchored(matcher))) return () => false;
  if (event.isPascal && list.test(matcher)) {
    const wanted = new Set(matcher.split('|'));
    return (subject) => namesOf(event, subject).names.some((name) => wanted.has(name));
  }
  return (subject, budget) =>
    anyMatches(anchored(matcher), namesOf(event, subject).tested, onUndecided, budget);
}

/** How matchers are compared, and with what. */
export const matching = {
  subjectOf: (hook: HookDefinition): string | undefined => traitsOf(copilotEventOf(hook)).subject,
  matcherOf: (hook: HookDefinition): string | undefined =>
    matching.subjectOf(hook) === undefined ? undefined : (hook.matcher ?? '*'),
  compileMatcher,
};
