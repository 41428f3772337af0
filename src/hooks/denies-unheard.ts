import { hookPointOf, type HookEventName } from '../hook-points.ts';

/** Whether nothing may go on at an event while it is unknown what guards it (S-12). */
export const deniesUnheard = (event: HookEventName): boolean => hookPointOf(event).needsGuards;
