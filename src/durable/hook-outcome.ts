import type { HookProcessOutcome } from '../../machines/hook-process.ts';

const cutOffName = 'CutOff';

/** The outcome of a hook whose host ended while the hook ran, or just before. */
export function cutOffOutcome(host: string): HookProcessOutcome {
  const error = new Error(`its host ${host} ended while it ran, so what it would have said is unknown`); // prettier-ignore
  error.name = cutOffName;
  return { status: 'failed', error };
}

/**
 * Whether the decision of a hook cannot be known: its host ended before the hook did, or its call was
 * cancelled meanwhile and may still be continued because its end could not be recorded.
 */
export const isUnheard = (outcome: HookProcessOutcome): boolean =>
  outcome.status === 'cancelled' ||
  (outcome.status === 'failed' && outcome.error.name === cutOffName);

/** Serializes how a hook ended; of an error, its name and message are kept. */
export const outcomeText = (outcome: HookProcessOutcome): string =>
  JSON.stringify(
    outcome.status === 'failed'
      ? { ...outcome, error: { name: outcome.error.name, message: outcome.error.message } }
      : outcome,
  );

/** Reads what `outcomeText` has written. */
export function outcomeFrom(text: string): HookProcessOutcome {
  const outcome = JSON.parse(text) as HookProcessOutcome;
  if (outcome.status !== 'failed') return outcome;
  const { name, message } = outcome.error;
  const error = new Error(message);
  error.name = name;
  return { ...outcome, error };
}
