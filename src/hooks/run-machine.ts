import {
  createActor,
  toPromise,
  type AnyStateMachine,
  type InputFrom,
  type InspectionEvent,
  type OutputFrom,
} from 'xstate';
import type { InspectObserver, RunOrigin } from './origin.ts';
import { debugChannel } from '../log.ts';
import { messageOf } from './message-of.ts';
import { onAbort } from './on-abort.ts';

const debug = debugChannel('system');

/** What a machine's run needs beyond its input. */
interface RunOptions {
  /** Aborting it sends the machine `cancel`; the run still ends with an outcome. */
  readonly signal?: AbortSignal | undefined;
  readonly inspect?: InspectObserver | undefined;
  /** What the machine runs for; only an observer asks. */
  readonly origin?: RunOrigin | undefined;
}

/** Runs a machine, as a root actor of its own, to its outcome. */
export async function runMachine<Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
  { signal, inspect, origin }: RunOptions,
): Promise<OutputFrom<Machine>> {
  const actor = createActor<AnyStateMachine>(machine, {
    input,
    ...(inspect && { inspect: onlyWatching(inspect, origin) }),
  });
  const ended = toPromise(actor) as Promise<OutputFrom<Machine>>;
  const cancel = (): void => actor.send({ type: 'cancel', reason: messageOf(signal?.reason) });
  actor.start();
  if (signal?.aborted) cancel();
  const stopWaiting = signal && onAbort(signal, cancel);
  try {
    return await ended;
  } finally {
    stopWaiting?.();
  }
}

/** An observer that throws would break the machine it looks at, and with it a guard. */
const onlyWatching =
  (inspect: InspectObserver, origin: RunOrigin | undefined) =>
  (event: InspectionEvent): void => {
    try {
      inspect(event, origin);
    } catch (error) {
      debug('the inspect observer threw: %s', messageOf(error));
    }
  };
