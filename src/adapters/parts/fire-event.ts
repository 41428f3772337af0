import { firedResult } from '../../core/calls/event-hooks.ts';
import type { FireOptions } from '../../core/run/planned-event.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';

/** Fires an event that is not a call; resolves to undefined if no hook matches it. Never rejects. */
export const fireEvent = <Event extends HookEventName>(
  config: HookSystemConfig,
  event: Event,
  fields: HookEventFields[Event],
  { subject, ...options }: FireOptions & { readonly subject?: string | undefined } = {},
): Promise<AggregatedHookResult | undefined> =>
  firedResult(config, event, subject, (handler) => handler.fire(event, fields, options));
