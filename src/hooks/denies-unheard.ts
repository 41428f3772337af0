import type { HookEventName } from '../protocol/events.ts';

/** The events at which nothing may go on while it is unknown what guards them (S-12): those before a prompt, a model call and a tool. */
export const deniesUnheard = (event: HookEventName): boolean =>
  event === 'BeforeTool' || event === 'BeforeModel' || event === 'BeforeAgent';
