/** A separate host that records its calls, and continues until it is killed. */
import { startRecording } from '../src/entries/inspector.ts';
import { batchSize, callsOf } from './calls.ts';
import { runBatch } from './run-batch.ts';
import { openSession } from './session.ts';

/** What a host must do. */
export interface RecordOrder {
  readonly file: string;
  readonly atOnce: number;
  readonly seed: number;
  /** Only hooks that would live for a long time if nobody ended them. */
  readonly lasting: boolean;
  /** The mark in the environment of its hooks. */
  readonly mark: string;
}

async function record({ file, atOnce, seed, lasting, mark }: RecordOrder): Promise<never> {
  process.env['HOOKMACHINE_LOAD'] = mark;
  const { observe } = startRecording(file, { payloads: true });
  const config = await openSession({ inspect: observe, onWarning: () => undefined });
  process.send!('running');
  for (let first = 0; ; first += batchSize) {
    const calls = callsOf(first, first + batchSize, seed, ({ hooks, lasts }) =>
      lasting ? lasts === true : hooks !== undefined,
    );
    await runBatch(calls, { config, limit: atOnce, wrong: tell });
  }
}

function tell(wrong: string): void {
  process.send!({ wrong });
}

process.once('message', (order: RecordOrder) => {
  void record(order);
});
process.send!('ready');
