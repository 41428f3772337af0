import type { Fate, Policy } from './engine.ts';
import type { Fault } from './fault.ts';
import type { Observed } from './observed.ts';

/** How long a call whose hook ends by itself may take, in ms. */
const usual = 3_000;

/** The time between SIGTERM and SIGKILL, in ms. */
const grace = 5_000;

/** The time between SIGKILL and giving up, in ms. */
const reap = 1_000;

/**
 * How much longer a call may take after its deadline, in ms. On a busy machine timers fire late; a call that
 * hangs is late by far more.
 */
const margin = 2_000;

/** How long a call with this fault may take, in ms. */
export const longest = ({
  timeout = usual,
  isDeaf,
  isUnkillable,
  hostIsBusyFor = 0,
}: Fault): number =>
  timeout + hostIsBusyFor + (isDeaf ? grace : 0) + (isUnkillable ? reap : 0) + margin;

/** Whether what a hook with this fault leaves behind must stay alive. */
export const livesOn = ({ leaves }: Fault, fate: Fate): boolean =>
  fate === 'leave' ? leaves !== undefined : fate === 'end-group' && leaves === 'daemon';

/** The claims that a run broke; ideally none. */
export function brokenClaims(
  fault: Fault,
  policy: Policy,
  observed: Observed,
  fate: Fate = 'end-group',
): string[] {
  const { decided, ms, processes, descriptors, reported, uncaught } = observed;
  const broken: string[] = [];
  if (decided === undefined)
    return [uncaught.length > 0 ? `it never settled: ${uncaught.join(', ')}` : 'it never settled'];
  const { expected } = fault;
  const { isDenied } = decided;
  const fails = expected === 'failure' || expected === 'denial or failure';
  if (!isDenied && (expected === 'denial' || (fails && policy === 'block')))
    broken.push('a denial was lost');
  if (isDenied && (expected === 'allow' || (expected === 'failure' && policy === 'allow')))
    broken.push('it denied without cause');
  if (fails && !isDenied && reported.length === 0) broken.push('nothing was reported');
  if (isDenied && !decided.reason?.trim()) broken.push('the denial has no reason');
  if (ms > longest(fault)) broken.push(`it took ${Math.round(ms)} ms`);
  const isLeft = livesOn(fault, fate);
  if (isLeft && processes === 0) broken.push('what should have lived on was ended');
  if (!isLeft && processes > 0) broken.push(`${processes} processes left`);
  // A process that stays alive may hold the streams, which are then still read.
  if (!isLeft && descriptors > 0) broken.push(`${descriptors} descriptors left`);
  // With "leave", nothing is to be ended of a hook that ended in time, and so there is nothing to report.
  const isToEnd = fate !== 'leave' || fails;
  const isNamed = reported.some((line) => line.includes('could not be ended'));
  if (fault.isUnkillable && isToEnd && !isNamed)
    broken.push('it was not reported which process lives on');
  if (uncaught.length > 0) broken.push(`uncaught: ${uncaught.join(', ')}`);
  return broken;
}
