import {
  createActor,
  toPromise,
  type Actor,
  type AnyActorRef,
  type AnyStateMachine,
  type InputFrom,
  type InspectionEvent,
  type OutputFrom,
} from 'xstate';
import type { InspectObserver, RunOrigin } from './origin.ts';
import { debugChannel } from '../log.ts';
import { messageOf } from '../message-of.ts';
import { onAbort } from './on-abort.ts';

const debug = debugChannel('system');

/** What a machine's run needs beyond its input. */
interface RunOptions {
  /** Aborting it sends the machine `cancel`; the run still ends with an outcome. */
  readonly signal?: AbortSignal | undefined;
  readonly inspect?: InspectObserver | undefined;
  /** What the machine runs for; only an observer asks. */
  readonly origin?: RunOrigin | undefined;
  /** The actor that it runs under, and is observed with; default: it is a root. */
  readonly parent?: AnyActorRef | undefined;
  /** Called when the machine waits for somebody outside, with what sends it the answer. */
  readonly onSuspended?: OnSuspended | undefined;
}

/** Asks whoever a suspended machine waits for, and sends it the answer. */
export type OnSuspended = (actor: Actor<AnyStateMachine>) => void;

/** Runs a machine, as an actor of its own, to its outcome. */
export function runMachine<Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
  { signal, inspect, origin, parent, onSuspended }: RunOptions,
): Promise<OutputFrom<Machine>> {
  const actor = createActor<AnyStateMachine>(machine, {
    input,
    ...(parent ? { parent } : inspect && { inspect: onlyWatching(inspect, origin) }),
  });
  if (onSuspended) callWhenSuspended(actor, onSuspended);
  const ended = toPromise(actor) as Promise<OutputFrom<Machine>>;
  actor.start();
  // Not awaited: a frame that waits would take memory as long as the run lasts.
  return signal === undefined ? ended : ended.finally(cancelOnAbort(actor, signal));
}

/** Calls back each time the actor comes to a state with the tag `suspended`. */
function callWhenSuspended(actor: Actor<AnyStateMachine>, onSuspended: OnSuspended): void {
  let isSuspended = false;
  actor.subscribe({
    next(snapshot) {
      const wasSuspended = isSuspended;
      isSuspended = snapshot.hasTag('suspended');
      if (isSuspended && !wasSuspended) onSuspended(actor);
    },
    // Whoever awaits the outcome hears of it.
    error: () => undefined,
  });
}

/** Tells the actor to cancel when the signal is aborted, until the returned function is called. */
function cancelOnAbort(actor: Actor<AnyStateMachine>, signal: AbortSignal): () => void {
  const cancel = (): void => actor.send({ type: 'cancel', reason: messageOf(signal.reason) });
  if (signal.aborted) cancel();
  return onAbort(signal, cancel);
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
