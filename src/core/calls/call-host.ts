import type { HookEventName } from '../points/hook-points.ts';
import type { HookEventHandler } from '../run/hook-event-handler.ts';
import type { HookHost } from '../host/config.ts';

/** The part of a hook system that calls use. */
export interface CallHooks {
  isInitialized(): boolean;
  initialize(): Promise<void>;
  hasUnknownGuards(): boolean;
  retryUnknownGuards(): Promise<void>;
  hasHooksFor(event: HookEventName, subject?: string): boolean;
  getEventHandler(): HookEventHandler;
}

/** A host whose calls have hooks: a `HookSystemConfig` is one. */
export interface CallHost extends HookHost {
  getHookSystem(): CallHooks | undefined;
}
