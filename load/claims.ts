import type { Slice } from './host.ts';
import type { Run } from './run-load.ts';
import { ofNoneWaiting } from './sample.ts';

/** What a call may leave on the heap, in bytes: less than an empty object in a map. */
const mostPerCall = 16;

/** How much the heap may grow regardless of the number of calls, in bytes: compiled code comes and goes. */
const mostAtAll = 1_048_576;

/** How much resident memory may rise, in bytes: the allocator gives back what it likes. */
const mostRisen = 33_554_432;

/** How many hooks wait at most. */
const mostWaiting = 8;

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** How much the heap grows per call, in bytes, as the slope of the best-fitting line. */
export function growth(slices: readonly Pick<Slice, 'calls' | 'heap'>[]): number {
  const [calls, heap] = [
    mean(slices.map((each) => each.calls)),
    mean(slices.map((each) => each.heap)),
  ];
  return (
    mean(slices.map((each) => (each.calls - calls) * (each.heap - heap))) /
    mean(slices.map((each) => (each.calls - calls) ** 2))
  );
}

/** The growth per call that still counts as flat for this many calls, in bytes. */
export const mostGrowth = (calls: number): number => Math.max(mostPerCall, mostAtAll / calls);

/** Without the first slice: what is created once is not a leak. */
export const warmed = <Each>(slices: readonly Each[]): readonly Each[] => slices.slice(1);

/** The claims that a run broke; ideally none. */
export function brokenClaims({ slices, end, exit, left }: Run, plain: boolean): string[] {
  if (end === undefined) return [`the host ended with ${exit} before its calls did`];
  const broken = [...end.wrong];
  if (end.wrongs > broken.length) broken.push(`${end.wrongs - broken.length} more of that kind`);
  if (end.reported !== end.toReport)
    broken.push(
      `${end.toReport} hooks should have been reported to the user, and were reported ${end.reported} times`,
    );
  if (end.begun !== end.ended) broken.push(`${end.begun} machines began, ${end.ended} ended`);
  broken.push(...end.uncaught.map((text) => `uncaught: ${text}`));
  if (exit !== 0) broken.push(`the host ended with ${exit}`);
  if (left > 0) broken.push(`${left} processes outlived the host`);
  const later = warmed(slices);
  const calls = later.at(-1)!.calls - later[0]!.calls;
  const grows = growth(later);
  if (grows > mostGrowth(calls)) broken.push(`the heap grows by ${grows.toFixed(1)} bytes a call`);
  const rss = risen(later.map((slice) => slice.rss));
  if (rss > mostRisen) broken.push(`resident memory rose by ${Math.round(rss / 2 ** 20)} MiB`);
  // The first waiting process brings along what all of them share.
  const waiting = slices.filter(({ processes }) => processes > 0);
  const alike = plain || waiting.length === 0 ? slices : waiting;
  const usual = ofNoneWaiting(alike[0]!);
  for (const slice of slices) {
    const { calls: after, processes } = slice;
    const descriptors = ofNoneWaiting(slice);
    if (descriptors !== usual && alike.includes(slice))
      broken.push(`${descriptors} descriptors were open after ${after} calls, not ${usual}`);
    if (processes > (plain ? 0 : mostWaiting))
      broken.push(`${processes} processes lived after ${after} calls`);
  }
  return broken;
}

/** How much the last third of these values lies above the first. */
function risen(values: readonly number[]): number {
  const some = Math.ceil(values.length / 3);
  return mean(values.slice(-some)) - mean(values.slice(0, some));
}
