import { randomUUID } from 'node:crypto';
import type { AnyStateMachine, InputFrom, OutputFrom } from 'xstate';
import type { HookEventInput, HookEventOutcome } from '../../machines/hook-event.ts';
import { isBlockedUnready, unreadyEnvelope } from '../hooks/event-result.ts';
import type { HookEventHandler, PrepareOptions } from '../hooks/hook-event-handler.ts';
import type { HookPlan } from '../hooks/hook-planner.ts';
import type { HookSystemConfig } from '../hooks/hook-system-config.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import { observed } from '../telemetry.ts';
import { resultOf, settledInput } from '../hooks/plan-input.ts';
import { onAbort, runMachine } from '../hooks/run-machine.ts';
import { warn } from '../log.ts';
import { messageOf } from '../message-of.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { DefaultHookOutput } from '../protocol/output.ts';
import type { AggregatedHookResult } from '../verdict/results.ts';

/** In the place of a hook system that cannot be made ready, where the host wants that to block. */
interface Unready {
  readonly unready: unknown;
}

/** A hook system, what stands in its place, or nothing where hooks are off. */
export type Ready = HookSystem | Unready | undefined;

/**
 * The host's hook system, initialised with the first event (HOOK-007, 008); undefined when hooks are
 * off, or when they cannot be made ready, which is warned of (HOOK-111) and blocks where the host says
 * so. A promise only that first time, and while settings whose guards are unknown are tried again (S-12):
 * after it, and with hooks off, nothing is to be awaited (HOOK-013).
 */
export function readyHookSystem(config: HookSystemConfig): Ready | Promise<Ready> {
  try {
    const system = config.getHookSystem();
    if (system === undefined) return undefined;
    const isReady = system.isInitialized();
    if (isReady && !system.hasUnknownGuards()) return system;
    return (isReady ? system.retryUnknownGuards() : system.initialize()).then(
      () => system,
      (error: unknown) => unready(config, notReady, error),
    );
  } catch (error) {
    return unready(config, notReady, error);
  }
}

/** Whether it has to be awaited. */
export const isPending = (ready: Ready | Promise<Ready>): ready is Promise<Ready> =>
  ready !== undefined && 'then' in ready;

/** Whether there is no hook system because it cannot be made ready, and that blocks. */
export const isUnready = (ready: Ready): ready is Unready =>
  ready !== undefined && 'unready' in ready;

/** What an event comes to that a hook system which is not ready blocks; undefined where it has nothing to block. */
const unreadyResult = (
  config: HookSystemConfig,
  { unready: error }: Unready,
  event: HookEventName,
): AggregatedHookResult | undefined =>
  isBlockedUnready(config, event) ? unreadyEnvelope(error, 'planning', event) : undefined;

const notReady = 'the hook system could not be made ready';

/** Warns the user of what is wrong with all hooks, and gives what then stands in their place, as `onUnready` says. */
function unready(config: HookSystemConfig, what: string, error: unknown): Unready | undefined {
  if (config.onUnready !== 'block') return withoutHooks(config, what, error);
  warn(config.onWarning, `${what} (${messageOf(error)}); it blocks, as onUnready says`);
  return { unready: error };
}

/** Tells the user that it goes on as if there were no hooks (HOOK-111, C-91). */
export function withoutHooks(config: HookSystemConfig, what: string, error: unknown): undefined {
  warn(config.onWarning, `${what} (${messageOf(error)}); continuing without hooks`);
  return undefined;
}

/** What is left to do for a planned event: to say what happened. */
type PrepareEvent<Event extends HookEventName> = (
  fields: () => HookEventFields[Event],
  options?: PrepareOptions,
) => HookEventInput;

/** An event with its hooks, which are planned once. */
interface PlannedHooks<Event extends HookEventName> {
  readonly prepare: PrepareEvent<Event>;
  /** Absent where something else stands in the place of hooks. */
  readonly plan?: HookPlan;
  /** Prepares the same event for some of its hooks, and with what is known of it so far. */
  readonly prepareSome?: (
    plan: HookPlan,
    fields: () => object,
    options?: PrepareOptions,
  ) => HookEventInput;
}

/** Whether a hook matches an event. Where that cannot be found out, the event itself reports why (HOOK-111). */
export function hasHooks(system: Ready, event: HookEventName, subject?: string): boolean {
  try {
    return system !== undefined && !isUnready(system) && system.hasHooksFor(event, subject);
  } catch {
    return true;
  }
}

/** Whether it is certain at once that no hook matches an event, so that nothing need be awaited. */
export function hasNoHooks(
  config: HookSystemConfig,
  event: HookEventName,
  subject?: string,
): boolean {
  const ready = readyHookSystem(config);
  return !isPending(ready) && !isUnready(ready) && !hasHooks(ready, event, subject);
}

/** The hooks of an event of a call, or what stands in the place of hooks that cannot be made ready; undefined when none matches. */
export const planHooks = <Event extends HookEventName>(
  config: HookSystemConfig,
  system: Ready,
  event: Event,
  subject?: string,
): PrepareEvent<Event> | undefined => plannedHooks(config, system, event, subject)?.prepare;

/** The same, for who must know which hooks they are. */
export function plannedHooks<Event extends HookEventName>(
  config: HookSystemConfig,
  system: Ready,
  event: Event,
  subject?: string,
): PlannedHooks<Event> | undefined {
  if (isUnready(system)) {
    const result = unreadyResult(config, system, event);
    return (
      result && {
        prepare: (_, options) => settledInput(event, result, () => options?.onDecided?.(result)),
      }
    );
  }
  try {
    const handler = system?.getEventHandler();
    const planned = handler?.plan(event, subject);
    if (planned === undefined) return undefined;
    return {
      prepare: (fields, options) => handler!.prepare(planned, fields, options),
      ...(planned.kind === 'hooks' && {
        plan: planned.plan,
        prepareSome: (plan, fields, options) =>
          handler!.prepare({ ...planned, plan }, fields as () => never, options),
      }),
    };
  } catch (error) {
    const broken = unready(config, `${event}: the hooks could not be planned`, error);
    return plannedHooks(config, broken, event, subject);
  }
}

/** What the hooks of a phase did, when any ran. */
export const hookResult = (phase: HookEventOutcome | undefined): AggregatedHookResult | undefined =>
  phase && resultOf(phase);

/**
 * What the hooks of an event that is no call came to; undefined when none matches it, for which `fire`
 * is not called (C-23). Never rejects: whatever breaks is warned of (HOOK-111), and blocks where the
 * host says so.
 */
export async function firedResult(
  config: HookSystemConfig,
  event: HookEventName,
  subject: string | undefined,
  fire: (handler: HookEventHandler) => Promise<AggregatedHookResult>,
): Promise<AggregatedHookResult | undefined> {
  try {
    const ready = readyHookSystem(config);
    const system = isPending(ready) ? await ready : ready;
    if (isUnready(system)) return unreadyResult(config, system, event);
    if (!system?.hasHooksFor(event, subject)) return undefined;
    return await fire(system.getEventHandler());
  } catch (error) {
    const broken = unready(config, `${event}: the hooks could not be fired`, error);
    return broken && unreadyResult(config, broken, event);
  }
}

/** What they want together; undefined when no hook said anything. */
export const finalOutputOf = async (
  ...about: Parameters<typeof firedResult>
): Promise<DefaultHookOutput | undefined> => (await firedResult(...about))?.finalOutput;

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
