import { randomUUID } from 'node:crypto';
import type { AnyStateMachine, InputFrom, OutputFrom } from 'xstate';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import { observed } from '../hooks/observers.ts';
import { onAbort } from '../hooks/on-abort.ts';
import { runMachine } from '../hooks/run-machine.ts';
import { messageOf } from '../message-of.ts';
import type { HookEventName } from '../protocol/events.ts';
import { withoutHooks } from './event-hooks.ts';

interface CallOutcome {
  readonly failures: readonly { readonly phase: HookEventName; readonly error: unknown }[];
}

/** Runs the machine of a call to its outcome. */
export function runCall<Machine extends AnyStateMachine>(
  config: HookSystemConfig,
  machine: Machine,
  input: InputFrom<Machine>,
  signal: AbortSignal | undefined,
): Promise<OutputFrom<Machine>> {
  // Not awaited: a frame that waits would take memory as long as the call lasts.
  return runMachine(machine, input, { signal, ...observed(config) }).then((outcome) => {
    warnOfFailures(config, outcome);
    return outcome;
  });
}

/** Warns of the hook phases of a call that broke. */
export function warnOfFailures(config: HookSystemConfig, { failures }: CallOutcome): void {
  for (const { phase, error } of failures) withoutHooks(config, `${phase}: the hooks broke`, error);
}

/** A call without hooks: it ends when it is cancelled, whether or not `run` does. */
export function untilCancelled<Outcome>(
  run: () => Promise<Outcome>,
  cancelled: (reason: string) => Outcome,
  signal: AbortSignal | undefined,
): Outcome | Promise<Outcome> {
  if (signal === undefined) return run();
  if (signal.aborted) return cancelled(messageOf(signal.reason));
  return new Promise((resolve, reject) => {
    const stopWaiting = onAbort(signal, () => resolve(cancelled(messageOf(signal.reason))));
    void run().then(resolve, reject).finally(stopWaiting);
  });
}

/** An id for a call that was given none. As Node makes it, it keeps the 20 parts it was put together from: eight times its size. */
export const newCallId = (): string => Buffer.from(randomUUID(), 'latin1').toString('latin1');
