import type { HookLane } from '../../../machines/hook-event.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { Entry } from './duplicates.ts';

/**
 * What the event's matchers are compared with: the tool's name, or a session event's source, reason or
 * trigger.
 */
export type MatchSubject = string | undefined;

/** Which hooks run for an event, and how. */
export interface HookPlan {
  readonly event: HookEventName;
  /** In plan order, without duplicates; never empty. */
  readonly hooks: readonly RegisteredHook[];
  /** The hooks of each dialect that are waited for; lanes run side by side. */
  readonly lanes: readonly HookLane[];
  /** The hooks whose failure denies; absent when there are none. */
  readonly failClosed?: ReadonlySet<RegisteredHook>;
  /**
   * By hook, its entries, for one that stands in several places: the first that may start runs, and that is
   * usually the hook itself.
   */
  readonly entries?: ReadonlyMap<RegisteredHook, readonly Entry[]>;
  /** The dialects of the hooks, by name. */
  readonly dialects: ReadonlyMap<string, Dialect>;
}
