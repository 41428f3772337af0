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

export function hookRecord(result: HookExecutionResult): HookRecord {
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
export function hookDiagnostic(result: HookExecutionResult): HookFailureDiagnostic | undefined {
  if (!hasFailed(result)) return undefined;
  const message = result.error?.message ?? result.status;
  return { ...hookRecord(result), stage: 'execution', message };
}
