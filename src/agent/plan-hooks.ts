import type { HookEventInput, HookEventOutcome } from '../../machines/hook-event.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { PrepareOptions } from '../hooks/hook-event-handler.ts';
import { resultOf, settledInput } from '../hooks/plan-input.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import { isUnready, unreadyResult, type Ready } from './ready-hook-system.ts';

/** What is left to do for a planned event: to say what happened. */
export type PrepareEvent<Event extends HookEventName> = (
  fields: () => HookEventFields[Event],
  options?: PrepareOptions,
) => HookEventInput;

/** Whether a hook matches an event. Where that cannot be found out, the event itself reports why (HOOK-111). */
export function hasHooks(system: Ready, event: HookEventName, subject?: string): boolean {
  try {
    return system !== undefined && !isUnready(system) && system.hasHooksFor(event, subject);
  } catch {
    return true;
  }
}

/** The hooks of an event of a call, or what stands in the place of hooks that cannot be made ready; undefined when none matches. */
export function planHooks<Event extends HookEventName>(
  config: HookSystemConfig,
  system: Ready,
  event: Event,
  subject?: string,
): PrepareEvent<Event> | undefined {
  if (isUnready(system)) {
    const result = unreadyResult(config, system, event);
    return (
      result && ((_, options) => settledInput(event, result, () => options?.onDecided?.(result)))
    );
  }
  const handler = system?.getEventHandler();
  const planned = handler?.plan(event, subject);
  return planned && ((fields, options) => handler!.prepare(planned, fields, options));
}

/** What the hooks of a phase did, when any ran. */
export const hookResult = (phase: HookEventOutcome | undefined): AggregatedHookResult | undefined =>
  phase && resultOf(phase);
