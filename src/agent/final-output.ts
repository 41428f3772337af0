import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { HookEventHandler } from '../hooks/hook-event-handler.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';
import type { DefaultHookOutput } from '../protocol/output-classes.ts';
import type { HookEventName } from '../protocol/events.ts';
import {
  isPending,
  isUnready,
  readyHookSystem,
  unready,
  unreadyResult,
} from './ready-hook-system.ts';

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
    const system = isPending(ready) ? await ready : ready;
    if (isUnready(system)) return unreadyResult(config, system, event)?.finalOutput;
    if (!system?.hasHooksFor(event, subject)) return undefined;
    return (await fire(system.getEventHandler())).finalOutput;
  } catch (error) {
    const broken = unready(config, `${event}: the hooks could not be fired`, error);
    return broken && unreadyResult(config, broken, event)?.finalOutput;
  }
}
