import { streamingHooks } from '../../core/calls/answer-stream-ports.ts';
import {
  hasHooks,
  isPending,
  isUnready,
  plannedHooks,
  type Ready,
  readyHookSystem,
} from '../../core/calls/event-hooks.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { isObserved } from '../../core/run/telemetry.ts';
import { hookEventNames, type HookEventName } from '../../core/protocol/events.ts';

/**
 * Whether hooks may match an event. Also true until hooks have been found, and if there is no hook system and
 * that blocks.
 */
export function mayHaveHooks(
  config: HookSystemConfig,
  event: HookEventName,
  subject?: string,
): boolean {
  const system = readyHookSystem(config);
  return isPending(system) || isUnready(system) || hasHooks(system, event, subject);
}

/** Whether no AfterModel hook wants the whole answer, so that its text is passed on as it arrives. */
export function streamsText(config: HookSystemConfig): boolean {
  const system = readyHookSystem(config);
  const after = isPending(system) ? undefined : plannedHooks(config, system, 'AfterModel');
  return after !== undefined && streamingHooks(after).others.length === 0;
}

/**
 * Whether any hook may apply, or anything observes; if not, the framework continues as if we were not there.
 */
export function hasAny(config: HookSystemConfig, system: Ready): boolean {
  if (isObserved(config)) return true;
  if (system === undefined) return false;
  if (isUnready(system)) return true;
  return [...hookEventNames, ...toolEvents].some((event) => hasHooks(system, event));
}

const toolEvents = ['BeforeTool', 'ToolPermission', 'AfterTool', 'ToolFailed'] as const;

/** The events of a model call that wants no tool. */
const eventsOfModelCalls = [
  'SessionStart',
  'SessionEnd',
  'BeforeAgent',
  'AfterAgent',
  'BeforeModel',
  'BeforeToolSelection',
  'AfterModel',
] as const satisfies readonly HookEventName[];

/** Whether no hook would run for a model call, whichever of these tools the model then wants. */
export const isPlainModelCall = (config: HookSystemConfig, tools: readonly string[]): boolean =>
  !isObserved(config) &&
  !eventsOfModelCalls.some((event) => mayHaveHooks(config, event)) &&
  tools.every((name) => isPlainTool(config, name));

/** Whether only the tool would run, and no hook would see a question about it. */
export const isPlainTool = (config: HookSystemConfig, name: string): boolean =>
  !isObserved(config) &&
  !toolEvents.some((event) => mayHaveHooks(config, event, name)) &&
  !mayHaveHooks(config, 'Notification', 'ToolPermission');
