import { duration, tickStep } from './format.ts';

/** The greatest width of an idle stretch, as a share of the busy time. */
const widestGap = 0.04;

/** A stretch of time, and its place on an axis. */
interface Stretch {
  readonly from: number;
  to: number;
  readonly place: number;
}

/** Maps moments to places between the left and the right end. */
export interface Axis {
  readonly percent: (at: number) => number;
  readonly stretches: readonly Readonly<Stretch>[];
  readonly length: number;
}

/** Room at the right end for calls that are still running. */
const room = 1.04;

/**
 * The clock axis for some calls. Time in which none of them ran is shortened, so that a pause does not
 * squeeze everything else.
 */
export function clockAxis(calls: readonly { readonly from: number; readonly to: number }[]): Axis {
  const busy: { readonly from: number; to: number }[] = [];
  for (const { from, to } of calls.toSorted((a, b) => a.from - b.from)) {
    const last = busy.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else busy.push({ from, to });
  }
  const total = Math.max(
    1,
    busy.reduce((sum, { from, to }) => sum + to - from, 0),
  );
  const stretches: Stretch[] = [];
  let place = 0;
  for (const { from, to } of busy) {
    const last = stretches.at(-1);
    const gap = last ? from - last.to : 0;
    if (last && gap <= total * widestGap) {
      last.to = to;
      place = last.place + to - last.from;
      continue;
    }
    if (last) place += total * widestGap;
    stretches.push({ from, to, place });
    place += to - from;
  }
  const length = Math.max(1, place) * room;
  const percent = (at: number): number => {
    const index = Math.max(
      0,
      stretches.findLastIndex(({ from }) => from <= at),
    );
    const stretch = stretches[index];
    if (!stretch) return 0;
    const next = stretches[index + 1];
    const into = at - stretch.from;
    const over = at - stretch.to;
    const placed =
      next && over > 0
        ? stretch.place +
          stretch.to -
          stretch.from +
          (over / (next.from - stretch.to)) *
            (next.place - stretch.place - stretch.to + stretch.from)
        : stretch.place + into;
    return clamped((placed / length) * 100);
  };
  return { percent, stretches, length };
}

/** The axis of calls that all begin at its left end. */
export const lengthAxis = (longest: number): Axis => {
  const length = Math.max(1, longest) * room;
  return {
    percent: (at) => clamped((at / length) * 100),
    stretches: [{ from: 0, to: length, place: 0 }],
    length,
  };
};

const clamped = (percent: number): number => Math.min(110, Math.max(-10, percent));

/** Returns the ticks of an axis, counted from an origin, at least the share `closest` of its length apart. */
export function* ticksOf(
  { percent, stretches, length }: Axis,
  origin: number,
  closest: number,
): Generator<{ readonly left: number; readonly text: string; readonly isAfterPause: boolean }> {
  const step = tickStep(length, 100 / closest);
  let last = -Infinity;
  for (const [index, { from, to }] of stretches.entries()) {
    // After a pause, the first tick is its first moment, round or not.
    const first = index === 0 && origin === 0 ? 0 : from - origin;
    const round = Math.ceil((from - origin) / step) * step;
    for (const at of [first, ...range(round, to - origin, step)]) {
      const left = percent(at + origin);
      if (left - last < closest || left > 100 - closest * 0.8) continue;
      last = left;
      yield { left, text: tickText(at, step), isAfterPause: index > 0 && at === first };
    }
  }
}

function* range(from: number, to: number, step: number): Generator<number> {
  for (let at = from; at <= to; at += step) yield at;
}

/** Uses as many digits as needed to distinguish one tick from the next. */
function tickText(at: number, step: number): string {
  if (Math.abs(at) < step / 1_000) return '0';
  if (at < 1_000 && step < 1_000) return `${at.toFixed(step < 1 ? 1 : 0)} ms`;
  if (at < 60_000) {
    const digits = Math.max(1, Math.min(3, Math.ceil(-Math.log10(step / 1_000))));
    return `${(at / 1_000).toFixed(digits)} s`;
  }
  return duration(at);
}
