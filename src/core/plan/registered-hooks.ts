import type { Dialect } from '../dialects/dialect.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import type { HookEventName } from '../points/hook-points.ts';

/** The hooks that plans are made from: a `HookRegistry` is one. */
export interface RegisteredHooks {
  /** The dialects of the hooks, by name. */
  readonly dialects: ReadonlyMap<string, Dialect>;
  /** The enabled hooks of an event, in the order of their sources, as each dialect ranks them. */
  getHooksForEvent(event: HookEventName): readonly RegisteredHook[];
  /** Every hook, including disabled ones. */
  getAllHooks(): readonly RegisteredHook[];
  /** Whether the switches let a hook run. */
  isOn(hook: Pick<RegisteredHook, 'dialect' | 'source'>): boolean;
  /** The matcher of a hook, as its author wrote it; undefined if its event has no matchers. */
  matcherOf(hook: RegisteredHook): string | undefined;
}
