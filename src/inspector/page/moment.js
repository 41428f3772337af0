/** A run as it was at a moment; `Infinity` is now. */

/** How far the run was: `later`, `running`, or the status it ended with. */
export function statusAt(run, moment) {
  if (run.at > moment) return 'later';
  return run.end !== undefined && run.end <= moment ? run.ended.status : 'running';
}

/** The steps made by then. */
export const movesAt = (run, moment) =>
  run.moves.at(-1)?.at <= moment ? run.moves : run.moves.filter(({ at }) => at <= moment);

/** What was said by then. */
export const answerAt = ({ answer }, moment) => (answer?.at <= moment ? answer : undefined);

export const verdictAt = ({ verdict }, moment) => (verdict?.at <= moment ? verdict : undefined);

const tones = {
  running: 'live',
  later: 'later',
  blocked: 'deny',
  refused: 'deny',
  stopped: 'ask',
  failed: 'fail',
  error: 'fail',
  timedOut: 'fail',
  cancelled: 'off',
};

/** The colour of a status. */
export const toneOf = (status) => tones[status] ?? 'ok';

/** The colour of what a hook said. */
export function answerTone({ decision, status, stop }) {
  if (decision === 'deny') return 'deny';
  if (status === 'failed' || status === 'timedOut') return 'fail';
  if (status !== 'ok') return 'off';
  return decision === 'ask' || stop ? 'ask' : 'ok';
}

/** The colour of a run at a moment. */
export function runTone(run, moment) {
  const status = statusAt(run, moment);
  const answer = run.machine === 'hookProcess' ? answerAt(run, moment) : undefined;
  if (answer) return answerTone(answer);
  const verdict = run.machine === 'hookEvent' ? verdictAt(run, moment) : undefined;
  if (verdict?.blocked) return 'deny';
  if (verdict?.stop) return 'ask';
  return toneOf(status);
}

/** States in which the thing itself is done, and not its hooks. */
const working = new Set(['executing', 'calling', 'callingModel', 'runningTools']);

/** When the tool or the model worked: pairs of from and to. */
export function* workOf({ moves, end }, now) {
  for (const [index, { to, at }] of moves.entries())
    if (working.has(to.split('.')[0])) yield [at, moves[index + 1]?.at ?? end ?? now];
}
