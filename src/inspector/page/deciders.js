import * as journal from '../../journal/who-decided.ts';
import { answerAt, verdictAt } from './moment.js';

/** The hook events of a run, and itself if it is one. */
const eventsOf = (run) => [run, ...run.children].filter(({ machine }) => machine === 'hookEvent');

/** An event as far as it was known at a moment. */
const until = (event, moment) => ({
  hooks: event.children.map((run) => ({ name: run.name, answer: answerAt(run, moment) })),
  verdict: verdictAt(event, moment),
});

export const decidersOf = (run, status, moment) =>
  journal.decidersOf(
    status,
    eventsOf(run).map((event) => until(event, moment)),
  );

export const deniersOf = (event, moment) => journal.deniersOf(until(event, moment));

export const stopperOf = (event, moment) => journal.stopperOf(until(event, moment));

/** Of a turn: the call whose hook wanted the agent to stop, the last of them. */
export const stoppingCall = (turn, moment) =>
  turn.lanes.findLast((lane) => eventsOf(lane).some((event) => verdictAt(event, moment)?.stop));
