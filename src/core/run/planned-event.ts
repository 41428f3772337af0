import type { EventContext } from '../answers/event-context.ts';
import type { AggregatedHookResult } from '../answers/results.ts';
import type { HookPlan } from '../plan/hook-plan.ts';
import type { HookEventName } from '../protocol/events.ts';

/** Options of a fired event. */
export interface FireOptions extends EventContext {
  /**
   * Aborting it cancels the running hooks: their process groups are ended, and only what was said before
   * counts.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether somebody can be asked when a hook wants that, which the caller must then do; default: nobody can,
   * so that such a wish is a denial, except for LLxprt's hooks.
   */
  readonly canAsk?: boolean | undefined;
  /** Whether a host applies the verdict, and the caller reports what that host cannot do. */
  readonly isRelayed?: boolean | undefined;
}

/** Knows whether there are settings whose guards are unknown, and tries them again. */
export interface UnknownGuards {
  hasUnknownGuards(): boolean;
  retryUnknownGuards(): Promise<void>;
}

/** An event with the hooks that will run for it, or with what takes their place. */
export type PlannedEvent<Event extends HookEventName = HookEventName> = {
  readonly event: Event;
} & (
  | { readonly kind: 'hooks'; readonly plan: HookPlan }
  /** No hook matches, but hooks that nobody had waited for have something to report. */
  | { readonly kind: 'late' }
  /** The event's hooks could not be determined. */
  | { readonly kind: 'broken'; readonly error: Error }
  /** The event is denied without running any hook, because its guards are unknown. */
  | { readonly kind: 'refused'; readonly refusal: AggregatedHookResult }
);

/** What is known of an event besides its fields. */
export interface PrepareOptions {
  readonly context?: EventContext;
  /** See `FireOptions`. */
  readonly canAsk?: boolean | undefined;
  readonly isRelayed?: boolean | undefined;
  /** Called once, as soon as all hooks have ended. */
  readonly onDecided?: (result: AggregatedHookResult) => void;
}
