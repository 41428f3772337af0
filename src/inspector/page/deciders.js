import { answerAt, verdictAt } from './moment.js';

/** The hook events of a run, and itself if it is one. */
const eventsOf = (run) => [run, ...run.children].filter(({ machine }) => machine === 'hookEvent');

/**
 * Who ended a run the way it ended, each with the reason it gave; nobody where no hook did.
 *
 * @param {'blocked' | 'stopped' | 'answered'} status
 */
export function decidersOf(run, status, moment) {
  const last = (word) => eventsOf(run).findLast((event) => verdictAt(event, moment)?.[word]);
  const blocked = status === 'stopped' ? undefined : last('blocked');
  if (blocked) return deniersOf(blocked, moment);
  const stopped = status === 'blocked' ? undefined : last('stop');
  if (stopped) return [stopperOf(stopped, moment)];
  return [];
}

/** Every hook that denied, with its own reason: what the verdict says may hold what others said too. */
export function deniersOf(event, moment) {
  const { by, reason } = verdictAt(event, moment);
  const denying = event.children.flatMap((run) => {
    const answer = answerAt(run, moment);
    return answer?.status === 'ok' && answer.decision === 'deny'
      ? [{ name: run.name, reason: answer.reason ?? answer.stopReason }]
      : [];
  });
  // Of some dialects not every denial stands.
  return denying.some(({ name }) => name === by) ? denying : [{ name: by, reason }];
}

/** The hook whose stop stands. */
export function stopperOf(event, moment) {
  const { stopBy, stopReason } = verdictAt(event, moment);
  return { name: stopBy, reason: stopReason };
}

/** Of a turn: the call whose hook wanted the agent to stop, the last of them. */
export const stoppingCall = (turn, moment) =>
  turn.lanes.findLast((lane) => eventsOf(lane).some((event) => verdictAt(event, moment)?.stop));
