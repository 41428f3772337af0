import type { InspectObserver } from '../host/config.ts';
import type { HookPayload } from '../../../machines/hook-event.ts';
import type { Effect } from '../answers/answer.ts';
import { hookPointOf } from '../points/hook-points.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import {
  debugChannel,
  oneLine,
  type PlainWarning,
  warn,
  type WarningSink,
} from '../../base/log.ts';
import { failureCode, type FailureCode } from '../../base/errors.ts';
import type { HookEventName, HookSource } from '../protocol/events.ts';
import type { HookStage, AggregatedHookResult, HookExecutionResult } from '../answers/results.ts';
import { messageOf } from '../../base/message-of.ts';

const debug = debugChannel('event-handler');
const debugRunner = debugChannel('runner');
const debugAggregator = debugChannel('aggregator');

/** The events that a hook system reports to its watchers; nothing leaves the process. */
export interface HookTelemetryEvents {
  /** One for each hook that ran. */
  'hook:result': HookRecord;
  /** One for each failure; a denial is not a failure. */
  'hook:failure_diagnostic': HookFailureDiagnostic;
  /** One for each fired event. */
  'hook:batch_summary': HookBatchSummary;
  /** A hook was skipped because it is not trusted; says so without quoting anyone. */
  'hook:skipped': string;
  /** A warning to the user, one line each. */
  warning: string;
}

export type HookTelemetryListener<Name extends keyof HookTelemetryEvents> = (
  report: HookTelemetryEvents[Name],
) => unknown;

interface Watcher {
  readonly listener: (report: never) => unknown;
}

/** Reports to watchers what hooks do. A watcher that throws or rejects affects no decision. */
export class HookTelemetry {
  readonly #watchers = new Map<keyof HookTelemetryEvents, Set<Watcher>>();

  /** Calls `listener` until the returned function is called. */
  on<Name extends keyof HookTelemetryEvents>(
    name: Name,
    listener: HookTelemetryListener<Name>,
  ): () => void {
    const watchers = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watchers);
    const watcher: Watcher = { listener };
    watchers.add(watcher);
    return () => {
      watchers.delete(watcher);
    };
  }

  /** Emits to the watchers; without any, the record is not even created. */
  emit<Name extends keyof HookTelemetryEvents>(
    name: Name,
    make: () => HookTelemetryEvents[Name],
  ): void {
    const watchers = this.#watchers.get(name);
    if (watchers === undefined || watchers.size === 0) return;
    // Frozen, because all watchers receive the same object.
    const report = Object.freeze(make());
    for (const { listener } of Array.from(watchers))
      void deliver(name, () => listener(report as never));
  }

  /** Reports a failure, also in the debug log. */
  diagnose(diagnostic: HookFailureDiagnostic): void {
    debug('hook:failure_diagnostic %o', diagnostic);
    this.emit('hook:failure_diagnostic', () => diagnostic);
  }

  /** Warns the user, and emits the warning to the watchers. */
  warn(sink: WarningSink | undefined, text: string, plain?: PlainWarning): void {
    warn(sink, text, plain);
    if (plain?.isSkip) this.emit('hook:skipped', () => oneLine(plain.text));
    this.emit('warning', () => oneLine(text));
  }
}

async function deliver(name: string, listen: () => unknown): Promise<void> {
  try {
    await listen();
  } catch (error) {
    debug('a listener to %s threw: %s', name, messageOf(error));
  }
}

/**
 * The identity of a hook: a copy as plain data, so that nobody can change a definition through it.
 */
interface HookIdentity {
  readonly event: HookEventName;
  readonly hook: string;
  readonly type: string;
  readonly command: string;
  readonly source: HookSource;
}

/** The record of one hook's run for an event. */
export interface HookRecord extends HookIdentity {
  /** True only for exit 0. */
  readonly success: boolean;
  readonly status: HookExecutionResult['status'];
  readonly decision?: HookExecutionResult['decision'];
  readonly durationMs: number;
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it failed, as a code: the only one of these texts that quotes nobody. */
  readonly failure?: FailureCode;
  readonly error?: string;
}

/** The summary of one event. Success, blocks and failures add up to the hooks that ran. */
export interface HookBatchSummary {
  readonly event: HookEventName;
  readonly mode: 'parallel' | 'sequential' | null;
  /** The number of hooks that ran; 0 if none matched the event. */
  readonly hookCount: number;
  /** The number of hooks that exited with 0. */
  readonly successCount: number;
  /** The number of hooks that denied by exiting with 2, which is neither success nor failure. */
  readonly blockCount: number;
  readonly failureCount: number;
  /** True if no hook failed and none exited with 2. */
  readonly success: boolean;
  /** The sum of the hooks' durations. */
  readonly totalDurationMs: number;
  /** The time from the first hook's start to the merged answer. */
  readonly wallTimeMs: number;
}

/** A failure of one hook, or of the event itself. */
export interface HookFailureDiagnostic extends Partial<Omit<HookRecord, 'event'>> {
  /** Null if a message requested something that is not an event. */
  readonly event: HookEventName | null;
  readonly stage: HookStage;
  readonly message: string;
}

/** Whether a hook failed; a denial is not a failure. */
const hasFailed = ({ success, status }: HookExecutionResult): boolean =>
  !success && status !== 'ok';

function hookRecord(result: HookExecutionResult): HookRecord {
  const { hook, event, success, status, decision, durationMs, exitCode, signal, timedOut } = result;
  const failure = failureCode(result);
  return {
    event,
    hook: hook.name,
    type: hook.type,
    command: hook.command,
    source: hook.source,
    success,
    status,
    ...(decision !== undefined && { decision }),
    durationMs,
    exitCode,
    ...(signal !== undefined && { signal }),
    timedOut,
    stdout: result.stdout,
    stderr: result.stderr,
    ...(failure !== undefined && { failure }),
    ...(result.error && { error: result.error.message }),
  };
}

export function batchSummary(
  event: HookEventName,
  { plan, results, success, totalDuration }: AggregatedHookResult,
  wallTimeMs: number,
): HookBatchSummary {
  const failureCount = results.filter(hasFailed).length;
  const successCount = results.filter((result) => result.success).length;
  return {
    event,
    mode: plan?.mode ?? null,
    hookCount: results.length,
    successCount,
    blockCount: results.length - successCount - failureCount,
    failureCount,
    success,
    totalDurationMs: totalDuration,
    wallTimeMs,
  };
}

/** Returns the diagnostic of a hook that failed; undefined for any other. */
function hookDiagnostic(result: HookExecutionResult): HookFailureDiagnostic | undefined {
  if (!hasFailed(result)) return undefined;
  const message = result.error?.message ?? result.status;
  return { ...hookRecord(result), stage: 'execution', message };
}

/** Called for each hook and each event as they end. */
export interface PlanObserver {
  hookStarted(hook: RegisteredHook, payload: HookPayload): void;
  hookEnded(result: HookExecutionResult): void;
  eventSettled(plan: { readonly event: HookEventName }, result: AggregatedHookResult): void;
}

/**
 * Reports the hooks of one event as they end, to the debug log, the watchers and the user.
 */
export function observePlan(
  telemetry: HookTelemetry,
  warnUser: WarningSink,
  isRelayed = false,
): PlanObserver {
  let startedAt: number | undefined;
  return {
    hookStarted(hook, payload) {
      startedAt ??= performance.now();
      debugRunner('%s "%s" starts; input %o', hook.event, hook.name, payload);
    },
    hookEnded(result) {
      debugRunner(
        'hook:result %s "%s" ended after %d ms: %s, exit %s, stdout %o, stderr %o',
        result.event,
        result.hook.name,
        Math.round(result.durationMs),
        result.status,
        result.signal ?? result.exitCode,
        result.stdout,
        result.stderr,
      );
      telemetry.emit('hook:result', () => hookRecord(result));
      const diagnostic = hookDiagnostic(result);
      if (diagnostic) telemetry.diagnose(diagnostic);
      for (const { line, plain } of hookWarnings(result)) warnUser(line, plain);
    },
    eventSettled({ event }, result) {
      const now = performance.now();
      const wallTimeMs = now - (startedAt ?? now);
      debugAggregator('%s: merged %o, conflicts %o', event, result.finalOutput, result.conflicts);
      debug(
        'hook:batch_summary %s: %d %s, success %s, %d ms in all, %d ms by the clock',
        event,
        result.results.length,
        result.results.length === 1 ? 'hook' : 'hooks',
        result.success,
        Math.round(result.totalDuration),
        Math.round(wallTimeMs),
      );
      telemetry.emit('hook:batch_summary', () => batchSummary(event, result, wallTimeMs));
      if (result.failure) {
        const { stage, message } = result.failure;
        telemetry.diagnose({ event, stage, message });
        const said = (why: string): string =>
          `${event}: the answers that count cannot be determined${why}; all of them do`;
        warnUser(said(` (${message})`), { text: said('') });
      }
      for (const { line, plain } of eventWarnings(event, result, isRelayed)) warnUser(line, plain);
    },
  };
}

/**
 * Yields what the user must be told about one hook: that it failed, and which parts of its answer were not
 * understood.
 */
function* hookWarnings(result: HookExecutionResult): Generator<Warning> {
  const { hook, event, error, status, decision, isInTime, stderr, notes } = result;
  const name = `hook "${hook.name}" (${hook.nativeEvent ?? event})`;
  if (error && status !== 'cancelled') {
    const said = stderr.trim() === '' ? '' : `: ${stderr.trim()}`;
    const fate =
      decision === 'ask'
        ? 'failed, and asks'
        : isInTime
          ? `failed, but had ${decision === 'deny' ? 'denied' : 'stopped the agent'} before, which counts`
          : decision === 'deny'
            ? 'failed and blocks, as its settings say'
            : 'failed and was ignored';
    const failed = (why: string): string => `${name} ${fate}: ${why}`;
    yield {
      line: failed(`${error.message}${said}`),
      plain: { text: failed(failureCode(result) ?? status) },
    };
  }
  for (const note of notes)
    yield { line: `${name}: ${note}`, plain: { text: `${name} has a note for its author` } };
  for (const what of withoutEffect(result)) yield ours(`${name}: ${what}`);
}

/** A warning, and what it says without quoting anyone. */
interface Warning {
  readonly line: string;
  readonly plain?: PlainWarning;
}

const ours = (line: string): Warning => ({ line, plain: { text: line } });

/**
 * Yields what an answer requests although its hook point does not allow it, or although it comes too late.
 */
function* withoutEffect({ hook, event, decision, stop, effects }: HookExecutionResult) {
  const point = hookPointOf(event);
  if (hook.async) {
    const why = 'has no effect: an "async" hook is not waited for';
    if (decision === 'deny') yield `its denial ${why}`;
    if (stop) yield `its request to stop the agent ${why}`;
    if (effects.some(({ kind }) => !isText(kind))) yield `its change ${why}`;
    return;
  }
  const here = 'which has no effect here';
  if (decision === 'ask' && !point.ask) yield `it asks the user, ${here}`;
  if (decision === 'defer' && !point.defer) yield `it defers the call, ${here}`;
  if (stop && !point.stop) yield `it stops the agent, ${here}`;
  for (const effect of effects)
    if (effect.kind === 'replace' || effect.kind === 'patch')
      if (!point.slots.includes(effect.slot)) yield `it changes ${effect.slot}, ${here}`;
}

const isText = (kind: Effect['kind']): boolean =>
  kind === 'context' || kind === 'message' || kind === 'notice';

/**
 * Yields what the user must be told about an event: a value that was overridden, and a denial that has no
 * effect because its hook point cannot be blocked. For a relayed event, that is up to the host.
 */
export function* eventWarnings(
  event: HookEventName,
  { conflicts, finalOutput, verdict }: AggregatedHookResult,
  isRelayed = false,
): Generator<Warning> {
  for (const { field, hooks, winner } of conflicts) {
    const said = (what: string): string =>
      `${event}: the hooks ${hooks.map((name) => `"${name}"`).join(' and ')} set ${what} differently; "${winner}" won`;
    yield { line: said(field), plain: { text: said('a field') } };
  }
  // What also stops the agent has that effect.
  const isLost = hookPointOf(event).denial === 'is reported' && !verdict.stop && !isRelayed;
  if (isLost && finalOutput?.isBlockingDecision())
    yield {
      line: `${event} cannot be blocked; the denial ("${finalOutput.getBlockReason()}") has no effect`,
      plain: { text: `${event} cannot be blocked; the denial has no effect` },
    };
}

/** The part of a host that is observed. */
interface ObservedHost {
  readonly inspect?: InspectObserver;
  getSessionId(): string;
}

/** The observers that were added to a host besides its own. */
const added = new WeakMap<ObservedHost, Set<InspectObserver>>();

/**
 * Adds an observer of every machine that is started for this host from now on, until the returned function is
 * called.
 */
export function addObserver(config: ObservedHost, observer: InspectObserver): () => void {
  const observers = added.get(config) ?? new Set<InspectObserver>();
  added.set(config, observers.add(observer));
  return () => {
    observers.delete(observer);
  };
}

/** Whether the machines of this host are observed, and so must be actors. */
export const isObserved = (config: ObservedHost): boolean =>
  config.inspect !== undefined || (added.get(config)?.size ?? 0) > 0;

/** Returns the options that a run of this host needs for its observers. */
export function observed(config: ObservedHost): { readonly inspect?: InspectObserver } {
  if (!isObserved(config)) return {};
  const { inspect } = config;
  const observers = added.get(config);
  return {
    inspect: (event) => {
      inspect?.(event);
      for (const observer of observers ?? []) observer(event);
    },
  };
}

/** Returns the session of a run of this host; only observers need it. */
export const observedSession = (
  config: ObservedHost,
  sessionId?: string,
): { readonly sessionId?: string } =>
  isObserved(config) ? { sessionId: sessionId ?? config.getSessionId() } : {};
