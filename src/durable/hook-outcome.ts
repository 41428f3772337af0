import type { HookProcessOutcome } from '../../machines/hook-process.ts';

const cutOffName = 'CutOff';

/** What a hook comes to whose host ended while it ran, or just before. */
export function cutOffOutcome(host: string): HookProcessOutcome {
  const error = new Error(`its host ${host} ended while it ran, so what it would have said is unknown`); // prettier-ignore
  error.name = cutOffName;
  return { status: 'failed', error };
}

/**
 * Whether nobody knows what a hook would have said: its host ended before it did, or its call was cancelled
 * meanwhile, and that call may be gone on with all the same where its end could not be written.
 */
export const isUnheard = (outcome: HookProcessOutcome): boolean =>
  outcome.status === 'cancelled' ||
  (outcome.status === 'failed' && outcome.error.name === cutOffName);

/** How a hook ended, as a text; an error is its name and its message. */
export const outcomeText = (outcome: HookProcessOutcome): string =>
  JSON.stringify(
    outcome.status === 'failed'
      ? { ...outcome, error: { name: outcome.error.name, message: outcome.error.message } }
      : outcome,
  );

/** The same from that text. */
export function outcomeFrom(text: string): HookProcessOutcome {
  const outcome = JSON.parse(text) as HookProcessOutcome;
  if (outcome.status !== 'failed') return outcome;
  const { name, message } = outcome.error;
  const error = new Error(message);
  error.name = name;
  return { ...outcome, error };
}
