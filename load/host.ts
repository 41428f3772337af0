/** A host of its own that makes calls, and tells after each tenth of them what it holds. */
import { journalTo } from '../src/entries/inspector.ts';
import { batchSize, callsOf } from './calls.ts';
import { kinds } from './kinds.ts';
import { runBatch } from './run-batch.ts';
import { lookAtHeld, ofNoneWaiting, type Held } from './sample.ts';
import { openSession } from './session.ts';

/** What a host is to do. */
export interface LoadOrder {
  readonly calls: number;
  readonly atOnce: number;
  readonly seed: number;
  /** Stands in the environment of its hooks. */
  readonly mark: string;
  /** Each hook is started with its event, and none waits for the next. */
  readonly plain: boolean;
}

/** What a host holds after so many calls. */
export interface Slice extends Held {
  readonly calls: number;
  /** How long these calls took, in s. */
  readonly seconds: number;
}

/** What a host tells when all calls are made. */
export interface LoadEnd {
  /** What was not as it must be: the first few, and how many there are. */
  readonly wrong: readonly string[];
  readonly wrongs: number;
  /** Calls whose hook is to be reported to the user, and how often it was. */
  readonly toReport: number;
  readonly reported: number;
  /** Machines that were seen to begin, and those that were seen to end. */
  readonly begun: number;
  readonly ended: number;
  /** What nobody caught, and what Node warns of. */
  readonly uncaught: readonly string[];
}

export type LoadReport = { readonly slice: Slice } | { readonly end: LoadEnd };

/** How many things that are wrong are reported one by one. */
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
    // With somebody who looks, each call is a machine; without, only one that has hooks.
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
  // Once all is done, nothing may keep it from ending.
  void load(order).then(() => process.disconnect());
});
process.send!('ready');
