import type { HookEventName as AnyEventName } from '../hook-points.ts';

/** The eleven lifecycle events (seed 003 "Hook Event Types"). */
export const HookEventName = {
  BeforeTool: 'BeforeTool',
  AfterTool: 'AfterTool',
  BeforeAgent: 'BeforeAgent',
  AfterAgent: 'AfterAgent',
  BeforeModel: 'BeforeModel',
  AfterModel: 'AfterModel',
  BeforeToolSelection: 'BeforeToolSelection',
  SessionStart: 'SessionStart',
  SessionEnd: 'SessionEnd',
  PreCompress: 'PreCompress',
  Notification: 'Notification',
} as const;
/** The event of any hook point. */
export type HookEventName = AnyEventName;
/** One of the eleven. */
export type LifecycleEvent = (typeof HookEventName)[keyof typeof HookEventName];

/** All event names, in the order of the documents. */
export const hookEventNames: readonly LifecycleEvent[] = Object.values(HookEventName);

/** Narrows a text to an event name (DELTA-HFAIL-005). */
export const isHookEventName = (name: string): name is LifecycleEvent =>
  Object.hasOwn(HookEventName, name);

/** Where a hook definition comes from; also its rank, the first being the strongest (HOOK-187). */
export const hookSources = ['project', 'user', 'system', 'extension'] as const;
export type HookSource = (typeof hookSources)[number];

/** Whose word goes before whose, the strongest first; a source's rank among hooks is another thing. */
export const authorities = [
  'system',
  'user',
  'project',
  'extension',
] as const satisfies readonly HookSource[];
