import type { MovedEntry } from '../../journal/entry.ts';
import { type Child, make } from './dom.ts';
import { movesAt, runTone } from './moment.ts';
import { nameOf } from './names.ts';
import type { Run } from './run.ts';

/** How many states are listed. A turn with more rounds than this has only its first and latest states listed. */
const mostStates = 12;

/** The states that a run's machine went through, up to the one that it is in or ended in. */
export function wayOf(run: Run, moment: number): Child {
  const states = statesOf(movesAt(run, moment));
  const latest = states.pop();
  if (latest === undefined) return undefined;
  const left = states.length - mostStates;
  const listed = left > 0 ? [states[0]!, `… ${left} more …`, ...states.slice(left + 1)] : states;
  return make(
    'div',
    { class: 'way' },
    make('small', {}, run.machine),
    make(
      'ol',
      { role: 'list', 'aria-label': `Way of ${run.machine} ${nameOf(run)}` },
      ...listed.map((state) => make('li', {}, state)),
      make(
        'li',
        { 'aria-current': 'step' },
        make('span', { class: `badge ${runTone(run, moment)}` }, latest),
      ),
    ),
  );
}

/** Judging takes no time, and the state that follows shows its result. */
const isJudging = (state: string): boolean => state.startsWith('judging');

function statesOf(moves: readonly MovedEntry[]): string[] {
  const last = moves.length - 1;
  return moves
    .map(({ to }) => innermost(to))
    .filter((state, index) => index === last || !isJudging(state))
    .filter((state, index, all) => state !== all[index - 1]);
}

/** A state's own name. `running` within another state goes without saying. */
function innermost(path: string): string {
  const keys = path.split('.', 8);
  return keys.findLast((key, index) => index === 0 || key !== 'running')!;
}
