import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../matrix/outcome.ts';
import { patternOf } from '../../agent/models/scripted/turn.ts';
import type { Expected } from './read-tests.ts';

/** One value that is not what a test expects. */
export interface Difference {
  readonly what: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/**
 * Returns how an event's outcome differs from what a test expects; what the test does not name may be
 * anything.
 */
export function differences(expected: Expected, actual: Outcome): readonly Difference[] {
  const { decision, reason, context, stop, changed } = expected;
  const found: Difference[] = [];
  const compare = (what: string, one: unknown, other: unknown, fits: boolean): void => {
    if (!fits) found.push({ what, expected: one, actual: other });
  };
  // A hook that lets a call pass need not say so.
  const passes = decision === 'allow' && actual.decision === 'none';
  compare('decision', decision, actual.decision, passes || decision === actual.decision);
  compareText('reason', reason, actual.reason ?? actual.stopReason);
  compareText('context', context, actual.context);
  if (stop !== undefined)
    compare('stop', stop, actual.stop ?? false, stop === (actual.stop ?? false));
  if (changed === false) compare('changed', false, actual.changes, actual.changes === undefined);
  else
    for (const [slot, fields] of Object.entries(changed ?? {})) {
      const now = actual.changes?.[slot as keyof typeof actual.changes];
      const named = now && Object.fromEntries(Object.keys(fields).map((key) => [key, now[key]]));
      compare(slot, fields, named, isDeepStrictEqual(named, fields));
    }
  return found;

  function compareText(what: string, wanted: string | undefined, said: string | undefined): void {
    if (wanted !== undefined)
      compare(what, wanted, said, patternOf(wanted)?.test(said ?? '') === true);
  }
}
