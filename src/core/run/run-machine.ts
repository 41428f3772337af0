import {
  createActor,
  toPromise,
  type AnyStateMachine,
  type InputFrom,
  type InspectionEvent,
  type OutputFrom,
  fromCallback,
} from 'xstate';
import { hookEventMachine } from '../../../machines/hook-event.ts';
import { hookProcessMachine } from '../../../machines/hook-process.ts';
import type { RunnableCommand } from '../host/handlers.ts';
import { debugChannel } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import { Steps } from './steps.ts';
import type { InspectObserver } from '../host/config.ts';

const debug = debugChannel('system');

/** What a machine's run needs beyond its input. */
interface RunOptions {
  /** Aborting it sends the machine `cancel`; the run still ends with an outcome. */
  readonly signal?: AbortSignal | undefined;
  readonly inspect?: InspectObserver | undefined;
}

/**
 * Runs a machine until it returns its outcome: as an actor if somebody watches, otherwise by stepping through
 * the same chart.
 */
export function runMachine<Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
  { signal, inspect }: RunOptions,
): Promise<OutputFrom<Machine>> {
  const { run, ended } = inspect ? watched(machine, input, inspect) : unwatched(machine, input);
  run.start();
  // Not awaited: a waiting frame would hold memory as long as the run lasts.
  const outcome = ended as Promise<OutputFrom<Machine>>;
  return signal === undefined ? outcome : outcome.finally(cancelOnAbort(run, signal));
}

function watched(machine: AnyStateMachine, input: unknown, inspect: InspectObserver) {
  const run = createActor<AnyStateMachine>(machine, { input, inspect: onlyWatching(inspect) });
  return { run, ended: toPromise(run) };
}

function unwatched(machine: AnyStateMachine, input: unknown) {
  let run!: Steps;
  const ended = new Promise<unknown>((resolve, reject) => {
    run = new Steps(machine, input, { ended: resolve, broke: reject, send: () => undefined });
  });
  return { run, ended };
}

interface Cancellable {
  send(event: { readonly type: 'cancel'; readonly reason: string }): void;
}

/** Sends the actor `cancel` when the signal is aborted, until the returned function is called. */
export function cancelOnAbort(actor: Cancellable, signal: AbortSignal): () => void {
  const cancel = (): void => actor.send({ type: 'cancel', reason: messageOf(signal.reason) });
  if (signal.aborted) cancel();
  return onAbort(signal, cancel);
}

/** An observer that throws would break the machine it observes, and with it a guard. */
export const onlyWatching =
  (inspect: InspectObserver) =>
  (event: InspectionEvent): void => {
    try {
      inspect(event);
    } catch (error) {
      debug('the inspect observer threw: %s', messageOf(error));
    }
  };

/** The callbacks that wait for a signal. */
interface Waiting {
  readonly acts: Set<() => void>;
  readonly end: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls `act` when the signal is aborted, until the returned function is called. A signal gets one listener
 * for all callbacks: many calls run side by side, and from the eleventh listener on Node warns of a leak.
 * When no callback is left, the listener is removed: Node keeps a signal derived from others alive for as
 * long as somebody listens to it.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const { acts, end } = waiting.get(signal) ?? listen(signal);
  acts.add(act);
  return () => {
    if (acts.delete(act) && acts.size === 0) end();
  };
}

function listen(signal: AbortSignal): Waiting {
  const acts = new Set<() => void>();
  const heard = (): void => acts.forEach((act) => act());
  const end = (): void => {
    waiting.delete(signal);
    signal.removeEventListener('abort', heard);
  };
  const made = { acts, end };
  waiting.set(signal, made);
  signal.addEventListener('abort', heard, { once: true });
  return made;
}

/** The machines of hooks with their actors provided, once for all runs: each command brings what runs it. */
export const hookProcess = hookProcessMachine.provide({
  actors: { process: fromCallback((actor) => (actor.input as RunnableCommand).run(actor)) },
});

export const hookEvent = hookEventMachine.provide({ actors: { hookProcess } });

/** A promise that is settled from outside; only the first call of `settle` counts. */
export interface Later<Value> {
  readonly promise: Promise<Value>;
  settle(value: Value): void;
}

export function later<Value>(): Later<Value> {
  let settle!: (value: Value) => void;
  const promise = new Promise<Value>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
