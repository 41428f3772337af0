/** A separate host that makes calls, and reports after each tenth of them what it holds. */
import { journalTo } from '../src/entries/inspector.ts';
import { batchSize, callsOf } from './calls.ts';
import { kinds } from './kinds.ts';
import { runBatch } from './run-batch.ts';
import { lookAtHeld, ofNoneWaiting, type Held } from './sample.ts';
import { openSession } from './session.ts';

/** What a host must do. */
export interface LoadOrder {
  readonly calls: number;
  readonly atOnce: number;
  readonly seed: number;
  /** The mark in the environment of its hooks. */
  readonly mark: string;
  /** Each hook is started with its event, and none waits for the next. */
  readonly plain: boolean;
}

/** What a host holds after this many calls. */
export interface Slice extends Held {
  readonly calls: number;
  /** How long the calls of this slice took, in s. */
  readonly seconds: number;
}

/** What a host reports when all calls have been made. */
export interface LoadEnd {
  /** What was not as it must be: the first few, and how many there are. */
  readonly wrong: readonly string[];
  readonly wrongs: number;
  /** Calls whose hook must be reported to the user, and how often it was. */
  readonly toReport: number;
  readonly reported: number;
  /** Machines whose beginning was seen, and those whose end was seen. */
  readonly begun: number;
  readonly ended: number;
  /** What nobody caught, and what Node warned of. */
  readonly uncaught: readonly string[];
}

export type LoadReport = { readonly slice: Slice } | { readonly end: LoadEnd };

/** How many deviations are reported one by one. */
const mostReported = 10;

const slices = 10;

async function load({ calls, atOnce, seed, mark, plain }: LoadOrder): Promise<void> {
  const uncaught: string[] = [];
  for (const event of ['uncaughtException', 'unhandledRejection', 'warning'])
    process.on(event, (error) => uncaught.push(String(error)));
  process.env['HOOKMACHINE_LOAD'] = mark;
  const seen = { wrongs: 0, toReport: 0, reported: 0, begun: 0, ended: 0 };
  const wrong: string[] = [];
  const onWrong = (what: string): void => {
    if (++seen.wrongs <= mostReported) wrong.push(what);
  };
  const subjects = kinds
    .filter(({ isReported }) => isReported)
    .map(({ name }) => `hook "${name}" `);
  const onWarning = (line: string): void => {
    if (subjects.some((subject) => line.startsWith(subject))) seen.reported++;
    else onWrong(`reported to the user: ${line}`);
  };
  const { observe } = journalTo((entry) => {
    if (entry.kind === 'started') seen.begun++;
    if (entry.kind === 'ended') seen.ended++;
  });
  const sessions = [
    await openSession({ onWarning }),
    // If somebody watches, each call is a machine; if not, only a call that has hooks.
    await openSession({ onWarning, inspect: observe }),
  ];
  let usual: number | undefined;
  let batches = 0;
  for (let slice = 0; slice < slices; slice++) {
    const [from, to] = [slice, slice + 1].map((each) => Math.floor((calls * each) / slices)) as [
      number,
      number,
    ];
    const startedAt = performance.now();
    for (let first = from; first < to; first += batchSize) {
      const batch = callsOf(first, Math.min(first + batchSize, to), seed);
      seen.toReport += batch.filter(({ kind }) => kind.isReported).length;
      const config = sessions[batches++ % sessions.length]!;
      await runBatch(batch, { config, limit: atOnce, wrong: onWrong });
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const held = await lookAtHeld(mark, {
      processes: plain ? 0 : Infinity,
      descriptors: usual ?? Infinity,
    });
    if (plain || held.processes > 0) usual ??= ofNoneWaiting(held);
    report({ slice: { calls: to, seconds, ...held } });
  }
  report({ end: { ...seen, wrong, uncaught } });
}

function report(what: LoadReport): void {
  process.send!(what);
}

process.once('message', (order: LoadOrder) => {
  // Once everything is done, nothing may keep the process from ending.
  void load(order).then(() => process.disconnect());
});
process.send!('ready');
