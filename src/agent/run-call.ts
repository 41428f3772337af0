import type { AnyStateMachine, InputFrom, OutputFrom } from 'xstate';
import type * as machines from '../hooks/actors.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import { messageOf } from '../hooks/message-of.ts';
import { onAbort } from '../hooks/on-abort.ts';
import type { RunOrigin } from '../hooks/origin.ts';
import type { HookEventName } from '../protocol/events.ts';
import { hasHooks } from './plan-hooks.ts';
import { readyHookSystem, withoutHooks } from './ready-hook-system.ts';

type Machines = typeof machines;
type Run = <Machine extends AnyStateMachine>(
  machine: Machine,
  input: InputFrom<Machine>,
) => Promise<OutputFrom<Machine>>;

/** A call of a tool or of the model: how it is made, with hooks and without. */
export interface HookedCall<Outcome> {
  /** The events that it fires. */
  readonly events: readonly HookEventName[];
  /** What matchers are compared with, for events that have them. */
  readonly subject?: string;
  /** Runs the call's machine. */
  withHooks(machines: Machines, system: HookSystem | undefined, run: Run): Promise<Outcome>;
  /** The call alone. It never rejects; once cancelled it need not settle. */
  withoutHooks(): Promise<Outcome>;
  cancelled(reason: string): Outcome;
}

/** What a call belongs to, beside its session. */
export type CallOrigin = Omit<RunOrigin, 'sessionId'>;

interface CallOutcome {
  readonly failures: readonly { readonly phase: HookEventName; readonly error: unknown }[];
}

/**
 * Takes a call to its outcome: as a machine of its own, or as if there were no hooks when none is meant
 * for it and nobody watches.
 */
export async function runCall<Outcome extends CallOutcome>(
  config: HookSystemConfig,
  call: HookedCall<Outcome>,
  signal: AbortSignal | undefined,
  within?: CallOrigin,
): Promise<Outcome> {
  // Nothing is awaited on the way to a call that no hook is meant for (HOOK-013).
  const ready = readyHookSystem(config);
  const system = ready instanceof Promise ? await ready : ready;
  const isHooked = call.events.some((event) => hasHooks(config, system, event, call.subject));
  if (config.inspect === undefined && !isHooked) return untilCancelled(call, signal);
  const [calls, { runMachine }] = await Promise.all([
    import('../hooks/actors.ts'),
    import('../hooks/run-machine.ts'),
  ]);
  if (signal?.aborted) return call.cancelled(messageOf(signal.reason));
  const { inspect } = config;
  const origin = inspect && { sessionId: config.getSessionId(), ...within };
  // Not awaited: a frame that waits would take memory as long as the call lasts.
  return call
    .withHooks(calls, system, (machine, input) =>
      runMachine(machine, input, { signal, inspect, origin }),
    )
    .then(warnOfFailures(config));
}

const warnOfFailures =
  (config: HookSystemConfig) =>
  <Outcome extends CallOutcome>(outcome: Outcome): Outcome => {
    for (const { phase, error } of outcome.failures)
      withoutHooks(config, `${phase}: the hooks broke`, error);
    return outcome;
  };

function untilCancelled<Outcome>(
  call: HookedCall<Outcome>,
  signal: AbortSignal | undefined,
): Outcome | Promise<Outcome> {
  if (signal === undefined) return call.withoutHooks();
  const cancelled = (): Outcome => call.cancelled(messageOf(signal.reason));
  if (signal.aborted) return cancelled();
  return new Promise((resolve) => {
    const stopWaiting = onAbort(signal, () => resolve(cancelled()));
    void call.withoutHooks().then(resolve).finally(stopWaiting);
  });
}
