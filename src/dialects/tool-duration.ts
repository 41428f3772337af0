import type { EventContext } from './event-context.ts';

/** Returns how long our own tool ran, in ms, in the field that hosts of one family use. */
export function durationOf(toolDuration: EventContext['toolDuration']): {
  readonly duration_ms?: number;
} {
  const duration = toolDuration?.();
  return duration === undefined ? {} : { duration_ms: Math.round(duration) };
}
