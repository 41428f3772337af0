import { firedResult } from '../agent/event-hooks.ts';
import type { FireOptions } from '../hooks/hook-event-handler.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';

/** Fires an event that is not a call; resolves to undefined if no hook matches it. Never rejects. */
export const fireEvent = <Event extends HookEventName>(
  config: HookSystemConfig,
  event: Event,
  fields: HookEventFields[Event],
  { subject, ...options }: FireOptions & { readonly subject?: string | undefined } = {},
): Promise<AggregatedHookResult | undefined> =>
  firedResult(config, event, subject, (handler) => handler.fire(event, fields, options));
