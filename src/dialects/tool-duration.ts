import type { EventContext } from './event-context.ts';

/** How long our own tool ran, as hosts of one family tell it. */
export function durationOf(toolDuration: EventContext['toolDuration']): {
  readonly duration_ms?: number;
} {
  const duration = toolDuration?.();
  return duration === undefined ? {} : { duration_ms: Math.round(duration) };
}
