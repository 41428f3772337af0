import { randomUUID } from 'node:crypto';
import { types } from 'node:util';
import type { AnyStateMachine, InputFrom, OutputFrom } from 'xstate';
import type { HookEventInput, HookEventOutcome } from '../../../machines/hook-event.ts';
import type { ToolInput } from '../../../machines/tool-call.ts';
import { isBlockedUnready, unreadyEnvelope, resultOf, settledInput } from '../run/event-result.ts';
import type { HookEventHandler } from '../run/hook-event-handler.ts';
import type { PrepareOptions } from '../run/planned-event.ts';
import type { HookPlan } from '../plan/hook-plan.ts';
import type { CallHooks, CallHost } from './call-host.ts';
import { runMachine } from '../run/run-machine.ts';
import { isObserved, observed } from '../run/telemetry.ts';
import { warn } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { DefaultHookOutput } from '../protocol/output.ts';
import type { AggregatedHookResult } from '../answers/results.ts';
import { isNestedTooDeep } from '../../base/json.ts';

/** Stands in for a hook system that cannot be made ready, if the host wants that to block. */
interface Unready {
  readonly unready: unknown;
}

/** A hook system that may be used, its stand-in, or undefined if execution continues without hooks. */
export type Ready = CallHooks | Unready | undefined;

/**
 * The host's hook system, initialised with the first event. It is undefined if hooks are off,
 * or if they cannot be made ready, which emits a warning and blocks if the host says so. It is a
 * promise only that first time, and while settings whose guards are unknown are tried again:
 * afterwards, and with hooks off, there is nothing to await.
 */
export function readyHookSystem(config: CallHost): Ready | Promise<Ready> {
  try {
    const system = config.getHookSystem();
    if (system === undefined) return undefined;
    const isReady = system.isInitialized();
    if (isReady && !system.hasUnknownGuards()) return system;
    return (isReady ? system.retryUnknownGuards() : system.initialize()).then(
      () => system,
      (error: unknown) => standIn(config, notReady, error),
    );
  } catch (error) {
    return standIn(config, notReady, error);
  }
}

/** Whether it has to be awaited. */
export const isPending = (ready: Ready | Promise<Ready>): ready is Promise<Ready> =>
  ready !== undefined && 'then' in ready;

/** Whether there is no hook system because it cannot be made ready, and that blocks. */
export const isUnready = (ready: Ready): ready is Unready =>
  ready !== undefined && 'unready' in ready;

/**
 * The result of an event that is blocked because the hook system is not ready; undefined if the event cannot
 * block.
 */
const unreadyResult = (
  config: CallHost,
  { unready: error }: Unready,
  event: HookEventName,
): AggregatedHookResult | undefined =>
  isBlockedUnready(config, event) ? unreadyEnvelope(error, 'planning', event) : undefined;

const notReady = 'the hook system could not be prepared';

/** Warns the user that no hooks can run, and returns their stand-in, as `onUnready` says. */
function standIn(config: CallHost, what: string, error: unknown): Unready | undefined {
  if (config.onUnready !== 'block') {
    warnOfNoHooks(config, what, error);
    return undefined;
  }
  warn(config.onWarning, `${what} (${messageOf(error)}); it blocks, as onUnready says`);
  return { unready: error };
}

/** Warns the user that execution continues as if there were no hooks. */
function warnOfNoHooks(config: CallHost, what: string, error: unknown): void {
  warn(config.onWarning, `${what} (${messageOf(error)}); continuing without hooks`);
}

/** Makes the machine's input of a planned event, once its fields are known. */
type PrepareEvent<Event extends HookEventName> = (
  fields: () => HookEventFields[Event],
  options?: PrepareOptions,
) => HookEventInput;

/** An event and its hooks, which are planned once. */
interface PlannedHooks<Event extends HookEventName> {
  readonly prepare: PrepareEvent<Event>;
  /** Absent if a settled result replaces the hooks. */
  readonly plan?: HookPlan;
  /** Prepares the same event for some of its hooks, with the fields known so far. */
  readonly prepareSome?: (
    plan: HookPlan,
    fields: () => object,
    options?: PrepareOptions,
  ) => HookEventInput;
}

/**
 * Whether a hook matches an event. If that cannot be determined, true: the event itself reports why.
 */
export function hasHooks(system: Ready, event: HookEventName, subject?: string): boolean {
  try {
    return system !== undefined && !isUnready(system) && system.hasHooksFor(event, subject);
  } catch {
    return true;
  }
}

/** The events of a model call, in order. */
const modelEvents = ['BeforeToolSelection', 'BeforeModel', 'AfterModel'] as const;

/** Whether hooks or observers see model calls; nobody translates one that nobody sees. */
export const seesModelCalls = (config: CallHost, system: Ready): boolean =>
  isObserved(config) || isUnready(system) || modelEvents.some((event) => hasHooks(system, event));

/** Whether it is certain without waiting that no hook matches an event, so that nothing need be awaited. */
export function hasNoHooks(config: CallHost, event: HookEventName, subject?: string): boolean {
  const ready = readyHookSystem(config);
  return !isPending(ready) && !isUnready(ready) && !hasHooks(ready, event, subject);
}

/**
 * Plans the hooks of an event of a call, or their stand-in if they cannot be made ready, and returns the
 * function that prepares the event; undefined if no hook matches.
 */
export const hooksFor = <Event extends HookEventName>(
  config: CallHost,
  system: Ready,
  event: Event,
  subject?: string,
): PrepareEvent<Event> | undefined => plannedHooks(config, system, event, subject)?.prepare;

/** Like `hooksFor`, for callers that must also know which hooks were planned. */
export function plannedHooks<Event extends HookEventName>(
  config: CallHost,
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
    const instead = standIn(config, `${event}: the hooks could not be planned`, error);
    return plannedHooks(config, instead, event, subject);
  }
}

/** The result of the hooks of a phase, if any ran. */
export const hookResult = (phase: HookEventOutcome | undefined): AggregatedHookResult | undefined =>
  phase && resultOf(phase);

/**
 * Returns the result of the hooks of an event that is not a call; undefined if none matches it, in which case
 * `fire` is not called. Never rejects: any failure emits a warning, and blocks if the host
 * says so.
 */
export async function firedResult(
  config: CallHost,
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
    const instead = standIn(config, `${event}: the hooks could not be fired`, error);
    return instead && unreadyResult(config, instead, event);
  }
}

/** The combined output of the hooks; undefined if no hook gave any. */
export const finalOutputOf = async (
  ...given: Parameters<typeof firedResult>
): Promise<DefaultHookOutput | undefined> => (await firedResult(...given))?.finalOutput;

interface CallOutcome {
  readonly failures: readonly { readonly phase: HookEventName; readonly error: unknown }[];
}

/** Runs the machine of a call to its outcome. */
export function runCall<Machine extends AnyStateMachine>(
  config: CallHost,
  machine: Machine,
  input: InputFrom<Machine>,
  signal: AbortSignal | undefined,
): Promise<OutputFrom<Machine>> {
  // Not awaited: a suspended frame would take memory as long as the call lasts.
  return runMachine(machine, input, { signal, ...observed(config) }).then((outcome) => {
    warnOfFailures(config, outcome);
    return outcome;
  });
}

/** Emits a warning for each hook phase of a call that failed. */
export function warnOfFailures(config: CallHost, { failures }: CallOutcome): void {
  for (const { phase, error } of failures)
    warnOfNoHooks(config, `${phase}: the hooks failed`, error);
}

/**
 * Returns an id for a call that has none. Copied, because Node's own string keeps the 20 parts that it was
 * joined from, which take eight times its size.
 */
export const newCallId = (): string => Buffer.from(randomUUID(), 'latin1').toString('latin1');

/** Arguments that stay as they are from the first hook until the tool runs. */
export interface FixedInput {
  readonly input: ToolInput;
  /** Why the tool must not run: hooks could not see what it would get. */
  readonly refusal?: string;
  /** Whether somebody has changed the arguments in the meantime. */
  readonly hasChanged: () => boolean;
}

/**
 * Fixes the arguments of a call: hooks get them as JSON, at several times, and the tool as an object. One that
 * may say something else each time it is asked, or to each of them, is replaced by what JSON gives.
 */
export function fixedInput(input: ToolInput): FixedInput {
  try {
    const text = JSON.stringify(input);
    if (isData(input)) return { input, hasChanged: () => JSON.stringify(input) !== text };
    return { input: JSON.parse(text) as ToolInput, hasChanged: () => false };
  } catch (error) {
    // Arguments that are nested too deep are denied with their hooks.
    if (isData(input) && isNestedTooDeep(input)) return { input, hasChanged: () => false };
    const [why] = messageOf(error).split('\n');
    const refusal = `The tool did not run, because its arguments cannot be written as JSON, so no hook can judge them: ${why}`;
    return { input, refusal, hasChanged: () => false };
  }
}

/** Whether an object consists of values, with nothing that computes or hides them. */
function isData(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return true;
  if (types.isProxy(input) || !(Array.isArray(input) || isPlain(input))) return false;
  const seen = new Set<object>([input]);
  for (const object of seen) {
    if (types.isProxy(object)) return false;
    if (ArrayBuffer.isView(object)) continue;
    for (const key of Reflect.ownKeys(object)) {
      if (typeof key === 'symbol' || (key === 'length' && Array.isArray(object))) continue;
      const property = Object.getOwnPropertyDescriptor(object, key)!;
      const value: unknown = property.value;
      if (property.get !== undefined || !property.enumerable) return false;
      if (key === 'toJSON' && typeof value === 'function') return false;
      if (typeof value === 'object' && value !== null) seen.add(value);
    }
  }
  return true;
}

/** Whether an object has only properties of its own; it may come from another realm. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
