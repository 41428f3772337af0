import {
  createActor,
  toPromise,
  type AnyStateMachine,
  type InputFrom,
  type InspectionEvent,
  type OutputFrom,
} from 'xstate';
import { abortReason } from './abort-reason.ts';

/** What a machine's run needs beyond its input. */
export interface RunOptions {
  /** Aborting it sends the machine `cancel`; the run still ends with an outcome. */
  readonly signal?: AbortSignal | undefined;
  readonly inspect?: ((event: InspectionEvent) => void) | undefined;
}

/** Runs a machine, as a root actor of its own, to its outcome. */
export async function runMachine<Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
  { signal, inspect }: RunOptions,
): Promise<OutputFrom<Machine>> {
  const actor = createActor<AnyStateMachine>(machine, { input, ...(inspect && { inspect }) });
  const ended = toPromise(actor) as Promise<OutputFrom<Machine>>;
  const cancel = (): void => actor.send({ type: 'cancel', reason: abortReason(signal) });
  actor.start();
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await ended;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}
