import { isRegex } from '../../base/bounded-regex.ts';
import type { Complain } from '../../core/definitions/problem.ts';
import { groupEntries, type GroupEntry, type GroupFormat } from '../parts/hook-groups.ts';
import type { TableEvent } from './host-table.ts';

type Format = Pick<GroupFormat<string>, 'under' | 'eventOf' | 'isFlat' | 'reserved'> & {
  readonly title: string;
  readonly events: Readonly<Record<string, TableEvent>>;
  readonly hookKeys: readonly string[];
};

/** The entries below an object whose keys are events. */
export const entriesBelow = (
  hooks: unknown,
  { title, events, hookKeys, ...format }: Format,
  complain: Complain,
): Generator<GroupEntry<string>> =>
  groupEntries(
    { source: 'user', hooks },
    {
      host: title,
      events: Object.keys(events),
      example: 'PreToolUse',
      groupKeys: ['matcher', 'hooks'],
      hookKeys,
      matcherFault: (_, matcher) => matcherFault(matcher),
      matcherFix: 'write a name, or a regular expression such as "write|edit"',
      ...format,
    },
    complain,
  );

/** What is wrong with a matcher; undefined if nothing is. */
export const matcherFault = (matcher: string): string | undefined =>
  ['', '*'].includes(matcher) || isRegex(matcher.replaceAll(/^\/|\/$/g, ''))
    ? undefined
    : 'is not a regular expression, so it counts for everything';

/** Finds an event by a name in any spelling: `PreToolUse`, `pre_tool_use`, `pretooluse`. */
export const anySpelling =
  (events: Readonly<Record<string, TableEvent>>) =>
  (key: string): string | undefined =>
    Object.keys(events).find(
      (name) => name.toLowerCase() === key.replaceAll('_', '').toLowerCase(),
    );
