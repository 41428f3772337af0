import type { HookEventName as AnyEventName } from '../points/hook-points.ts';

/** The eleven lifecycle events. */
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
/** One of the eleven lifecycle events. */
export type LifecycleEvent = (typeof HookEventName)[keyof typeof HookEventName];

/** The names of the lifecycle events, in the order of the documents. */
export const hookEventNames: readonly LifecycleEvent[] = Object.values(HookEventName);

/** Narrows a string to an event name. */
export const isHookEventName = (name: string): name is LifecycleEvent =>
  Object.hasOwn(HookEventName, name);

/** The sources of a hook definition, which are also its rank; the first is the strongest. */
export const hookSources = ['project', 'user', 'system', 'extension'] as const;
export type HookSource = (typeof hookSources)[number];

/** The sources by authority, the strongest first; a source's rank among hooks is independent of this. */
export const authorities = [
  'system',
  'user',
  'project',
  'extension',
] as const satisfies readonly HookSource[];
