import { isDeepStrictEqual } from 'node:util';
import type { Decision, Ignored } from '../../core/answers/answer.ts';
import type { Verdict } from '../../core/answers/verdict.ts';
import { hookPointOf, type HookEventName, type Slot } from '../../core/points/hook-points.ts';
import { isRecord } from '../../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What happens to an event because of its hook's answer. */
export interface Outcome {
  readonly decision: Decision | 'none';
  readonly reason?: string;
  readonly stop?: true;
  readonly stopReason?: string;
  /** The whole values that replace those of the event. */
  readonly changes?: Readonly<Partial<Record<Slot, Fields>>>;
  readonly context?: string;
  readonly message?: string;
  readonly followUps?: readonly string[];
}

/** The outcome here. */
export function outcomeOf(verdict: Verdict, fields: Fields): Outcome {
  const { decision, reason, stop, stopReason, context, message, followUps, approved } = verdict;
  const isDenied = decision === 'deny';
  const changes = isDenied ? [] : Object.entries(verdict.changes);
  const changed = changes.map(([slot, change]) => {
    const before = fields[slot];
    return [
      slot,
      'whole' in change ? change.whole : { ...(isRecord(before) ? before : {}), ...change.patch },
    ];
  });
  return {
    // An approval that does not spare the user a question does not count.
    decision: decision === 'allow' && approved !== true ? 'none' : (decision ?? 'none'),
    ...(reason !== undefined && decision !== undefined && { reason }),
    ...(stop && { stop: true }),
    ...(stop && stopReason !== undefined && { stopReason }),
    ...(changed.length > 0 && {
      changes: Object.fromEntries(changed) as Readonly<Record<Slot, Fields>>,
    }),
    ...(context !== undefined && { context }),
    ...(message !== undefined && { message }),
    ...(followUps.length > 0 && { followUps }),
  };
}

/** The outcome at the host, which ignores some of what we obey. */
export function outcomeAtHost(here: Outcome, ignored: Ignored | undefined): Outcome {
  if (ignored === undefined) return here;
  const { decision, reason: _, stop: __, stopReason: ___, ...others } = here;
  // With a stop that comes too late, nothing was decided; with an ignored denial, the stop is lost too.
  return ignored.what === 'stop' ? { ...others, decision } : { ...others, decision: 'none' };
}

/** Kinds of things that a hook may want. */
export const wishes = ['deny', 'ask', 'defer', 'stop', 'change', 'context', 'follow-up'] as const;
export type Wish = (typeof wishes)[number];

/** The wishes that come true. At a guarded hook point, a stop prevents the operation as a denial does. */
export function wishesIn(outcome: Outcome, event: HookEventName): ReadonlySet<Wish> {
  const { decision, stop, changes, context, followUps } = outcome;
  const isKept = stop === true && hookPointOf(event).needsGuards;
  return new Set<Wish>([
    ...(isKept ? (['deny'] as const) : []),
    ...(decision === 'none' || decision === 'allow' ? [] : [decision]),
    ...(stop && !isKept ? (['stop'] as const) : []),
    ...(changes ? (['change'] as const) : []),
    ...(context === undefined ? [] : (['context'] as const)),
    ...(followUps ? (['follow-up'] as const) : []),
  ]);
}

/** Whether two hosts do the same, whatever reasons they give. */
export const doTheSame = (one: Outcome, other: Outcome, event: HookEventName): boolean =>
  isDeepStrictEqual(wishesIn(one, event), wishesIn(other, event)) &&
  isDeepStrictEqual(one.changes, other.changes);
