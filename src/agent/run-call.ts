import type { AnyStateMachine, InputFrom, OutputFrom } from 'xstate';
import type { HookEventOutcome } from '../../machines/hook-event.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import { messageOf } from '../hooks/message-of.ts';
import { onAbort } from '../hooks/on-abort.ts';
import type { RunOrigin } from '../hooks/origin.ts';
import { verdictOf } from '../hooks/plan-input.ts';
import { warn } from '../log.ts';
import type { HookEventName } from '../protocol/events.ts';
import { callMachines, type CallMachines } from './call-machines.ts';
import { hasHooks } from './plan-hooks.ts';
import { readyHookSystem, withoutHooks } from './ready-hook-system.ts';

type Run = <Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
) => Promise<OutputFrom<Machine>>;

/** A call of a tool or of the model: how it is made, with hooks and without. */
export interface HookedCall<Outcome, Told> {
  /** What any outcome of it tells. */
  readonly told: Told;
  /** The events that it fires. */
  readonly events: readonly HookEventName[];
  /** What matchers are compared with, for events that have them. */
  readonly subject?: string;
  /** Runs the call's machine. */
  withHooks(machines: CallMachines, system: HookSystem | undefined, run: Run): Promise<Outcome>;
  /** The call alone. It never rejects; once cancelled it need not settle. */
  readonly withoutHooks: () => Promise<Outcome>;
  /** The call where its machine cannot be had. */
  readonly withoutMachine: (call: HookedCall<Outcome, Told>, giveUp: GiveUp) => Promise<Outcome>;
  cancelled(reason: string): Outcome;
}

/** What becomes of an event that cannot come to its hooks; undefined when no hook is meant for it. */
export type GiveUp = (event: HookEventName) => HookEventOutcome | undefined;

/** What a call belongs to, beside its session. */
export type CallOrigin = Omit<RunOrigin, 'sessionId'>;

interface CallOutcome {
  readonly failures: readonly { readonly phase: HookEventName; readonly error: unknown }[];
}

/**
 * Takes a call to its outcome: as a machine of its own, or as if there were no hooks when none is meant
 * for it and nobody watches.
 */
export async function runCall<Outcome extends CallOutcome, Told>(
  config: HookSystemConfig,
  call: HookedCall<Outcome, Told>,
  signal: AbortSignal | undefined,
  within?: CallOrigin,
): Promise<Outcome> {
  // Nothing is awaited on the way to a call that no hook is meant for (HOOK-013).
  const ready = readyHookSystem(config);
  const system = ready instanceof Promise ? await ready : ready;
  const isHooked = call.events.some((event) => hasHooks(system, event, call.subject));
  if (config.inspect === undefined && !isHooked)
    return untilCancelled(call.withoutHooks, call, signal);
  const { inspect } = config;
  let machines: CallMachines;
  let origin: RunOrigin | undefined;
  try {
    machines = await callMachines();
    origin = inspect && { sessionId: config.getSessionId(), ...within };
  } catch (error) {
    if (!isHooked) warnUnseen(config, error);
    return untilCancelled(
      () =>
        call.withoutMachine(call, (event) => {
          if (signal?.aborted) return undefined;
          const result = system?.getEventHandler().giveUp(event, call.subject, error);
          return result && { status: 'settled', verdict: verdictOf(result) };
        }),
      call,
      signal,
    );
  }
  if (signal?.aborted) return call.cancelled(messageOf(signal.reason));
  // Not awaited: a frame that waits would take memory as long as the call lasts.
  return call
    .withHooks(machines, system, (machine, input) =>
      machines.runMachine(machine, input, { signal, inspect, origin }),
    )
    .then(warnOfFailures(config));
}

/** Tells the user of a call that observers are not told of. */
export const warnUnseen = (config: HookSystemConfig, error: unknown): void =>
  warn(config.onWarning, `a call cannot be watched (${messageOf(error)}); it goes on unseen`);

const warnOfFailures =
  (config: HookSystemConfig) =>
  <Outcome extends CallOutcome>(outcome: Outcome): Outcome => {
    for (const { phase, error } of outcome.failures)
      withoutHooks(config, `${phase}: the hooks broke`, error);
    return outcome;
  };

function untilCancelled<Outcome>(
  run: () => Promise<Outcome>,
  call: Pick<HookedCall<Outcome, unknown>, 'cancelled'>,
  signal: AbortSignal | undefined,
): Outcome | Promise<Outcome> {
  if (signal === undefined) return run();
  const cancelled = (): Outcome => call.cancelled(messageOf(signal.reason));
  if (signal.aborted) return cancelled();
  return new Promise((resolve) => {
    const stopWaiting = onAbort(signal, () => resolve(cancelled()));
    void run().then(resolve).finally(stopWaiting);
  });
}
