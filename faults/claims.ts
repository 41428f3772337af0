import { availableParallelism, loadavg } from 'node:os';
import type { Fate, Policy } from './engine.ts';
import type { Fault } from './fault.ts';
import type { Observed } from './observed.ts';
import { sayings } from './sayings.ts';

/** What a call may take whose hook ends by itself, in ms. */
const usual = 3_000;

/** Between SIGTERM and SIGKILL, in ms. */
const grace = 5_000;

/** Between SIGKILL and giving up, in ms. */
const reap = 1_000;

/** What else a call may take after its deadline on a machine that has nothing else to do, in ms. */
const margin = 100;

/** The same while other faults run beside it, or other programs: how late a timer is then says nothing of us. */
const busyMargin = 2_000;

/** How long a call with this fault may take, in ms. */
export const longest = (
  { timeout = usual, isDeaf, isUnkillable, hostIsBusyFor = 0 }: Fault,
  isBusy = false,
): number =>
  timeout +
  hostIsBusyFor +
  (isDeaf ? grace : 0) +
  (isUnkillable ? reap : 0) +
  (isBusy ? busyMargin : margin);

/** Whether more wants to run than there are processors, or did a moment ago. */
export const isMachineBusy = (): boolean => loadavg()[0]! > 0.75 * availableParallelism();

/** Whether what a hook with this fault leaves is to live on. */
export const livesOn = ({ leaves }: Fault, fate: Fate): boolean =>
  fate === 'leave' ? leaves !== undefined : fate === 'end-group' && leaves === 'daemon';

/** The claims that a run did not keep; none is what we want. */
export function brokenClaims(
  fault: Fault,
  policy: Policy,
  observed: Observed,
  fate: Fate = 'end-group',
): string[] {
  const { decided, ms, processes, descriptors, told, uncaught, readyShell } = observed;
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
  if (fails && !isDenied && told.length === 0) broken.push('nobody was told');
  if (isDenied && !decided.reason?.trim()) broken.push('the denial has no reason');
  if (ms > longest(fault, observed.isBusy)) broken.push(`it took ${Math.round(ms)} ms`);
  const isLeft = livesOn(fault, fate);
  if (isLeft && processes === 0) broken.push('what was to live on was ended');
  if (!isLeft && processes > 0) broken.push(`${processes} processes left`);
  // Who lives on may hold the streams, which are then read on.
  if (!isLeft && descriptors > 0) broken.push(`${descriptors} descriptors left`);
  if (fault.isUnkillable && !told.some((line) => line.includes('could not be ended')))
    broken.push('nobody was told which process lives on');
  if (uncaught.length > 0) broken.push(`nobody caught: ${uncaught.join(', ')}`);
  if (readyShell !== undefined && readyShell !== (fault.readyShell ?? 'is taken'))
    broken.push(`the shell that was ready ${readyShell}`);
  return broken;
}

/** What else came of the same fault in a shell that was ready; nothing is what we want. */
export function differences({ expected }: Fault, plain: Observed, ready: Observed): string[] {
  // A hook that needs no process of its own may be run where another cannot be.
  if (expected === 'denial or failure') return [];
  const different: string[] = [];
  if (plain.decided?.isDenied !== ready.decided?.isDenied) different.push('it decided otherwise');
  // How much is written until nobody may write any more is chance.
  const [one, other] = [plain, ready].map((observed) =>
    sayings(observed)
      .filter((line) => !line.includes('went over 10 MiB'))
      .join(' / '),
  );
  if (one !== other) different.push(`it told: ${other}`);
  return different;
}
