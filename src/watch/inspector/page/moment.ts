import type { AnsweredEntry, MovedEntry, VerdictEntry } from '../../journal/entry.ts';
import type { Run } from './run.ts';

/* The state of a run at a moment; `Infinity` is now. */

/** Returns `later`, `running`, or the status that the run ended with. */
export function statusAt(run: Run, moment: number): string {
  if (run.at > moment) return 'later';
  return run.ended && run.ended.at <= moment ? run.ended.status : 'running';
}

/** The steps made by that moment. */
export const movesAt = ({ moves }: Run, moment: number): readonly MovedEntry[] =>
  isBy(moves.at(-1), moment) ? moves : moves.filter(({ at }) => at <= moment);

const isBy = (entry: { readonly at: number } | undefined, moment: number): boolean =>
  entry !== undefined && entry.at <= moment;

/** The answer given by that moment. */
export const answerAt = ({ answer }: Run, moment: number): AnsweredEntry | undefined =>
  isBy(answer, moment) ? answer : undefined;

export const verdictAt = ({ verdict }: Run, moment: number): VerdictEntry | undefined =>
  isBy(verdict, moment) ? verdict : undefined;

/** A colour of the page, by its meaning. */
export type Tone = 'live' | 'later' | 'deny' | 'ask' | 'fail' | 'off' | 'note' | 'ok';

const tones = new Map<string, Tone>([
  ['running', 'live'],
  ['later', 'later'],
  ['blocked', 'deny'],
  ['refused', 'deny'],
  ['stopped', 'ask'],
  ['suspended', 'ask'],
  ['failed', 'fail'],
  ['error', 'fail'],
  ['timedOut', 'fail'],
  ['cancelled', 'off'],
]);

/** The colour of a status. */
export const toneOf = (status: string): Tone => tones.get(status) ?? 'ok';

/** The colour of what a hook said. */
export function answerTone({
  decision,
  status,
  stop,
}: Pick<AnsweredEntry, 'decision' | 'status' | 'stop'>): Tone {
  if (decision === 'deny') return 'deny';
  if (status === 'failed' || status === 'timedOut') return 'fail';
  if (status !== 'ok') return 'off';
  return decision === 'ask' || stop ? 'ask' : 'ok';
}

/** The colour of a run at a moment. */
export function runTone(run: Run, moment: number): Tone {
  const answer = answerAt(run, moment);
  if (answer) return answerTone(answer);
  const verdict = verdictAt(run, moment);
  if (verdict?.blocked) return 'deny';
  if (verdict?.stop) return 'ask';
  return toneOf(statusAt(run, moment));
}

/** The states in which the tool or the model itself is at work, rather than its hooks. */
const working = new Set(['executing', 'calling', 'streaming', 'callingModel', 'runningTools']);

/**
 * Yields the times in which the tool or the model worked, as pairs of start and end; while it still works,
 * the end is undefined.
 */
export function* workOf({ moves, end }: Run): Generator<readonly [number, number | undefined]> {
  for (const [index, { to, at }] of moves.entries())
    if (working.has(to.split('.')[0]!)) yield [at, moves[index + 1]?.at ?? end];
}
