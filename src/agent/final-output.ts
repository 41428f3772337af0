import type { HookSystemConfig } from '../hooks/config.ts';
import type { HookEventHandler } from '../hooks/hook-event-handler.ts';
import type { AggregatedHookResult } from '../hooks/results.ts';
import type { DefaultHookOutput } from '../protocol/output-classes.ts';
import type { HookEventName } from '../protocol/events.ts';
import { readyHookSystem, withoutHooks } from './ready-hook-system.ts';

/**
 * What the hooks of an event want together; undefined when no hook said anything. `fire` is not called
 * when none is meant for the event (C-23). Never rejects: whatever breaks is warned of (HOOK-111).
 */
export async function finalOutputOf(
  config: HookSystemConfig,
  event: HookEventName,
  subject: string | undefined,
  fire: (handler: HookEventHandler) => Promise<AggregatedHookResult>,
): Promise<DefaultHookOutput | undefined> {
  try {
    const ready = readyHookSystem(config);
    const system = ready instanceof Promise ? await ready : ready;
    if (!system?.hasHooksFor(event, subject)) return undefined;
    return (await fire(system.getEventHandler())).finalOutput;
  } catch (error) {
    return withoutHooks(config, `${event}: the hooks could not be fired`, error);
  }
}
