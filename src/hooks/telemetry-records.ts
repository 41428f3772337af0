import type { HookEventName, HookSource } from '../protocol/events.ts';
import type { HookStage } from '../verdict/hook-failure.ts';
import type { AggregatedHookResult, HookExecutionResult } from '../verdict/results.ts';

/** Which hook it was; plain data of its own, so that nobody changes a definition through it (DELTA-HFAIL-004). */
interface HookIdentity {
  readonly event: HookEventName;
  readonly hook: string;
  readonly type: string;
  readonly command: string;
  readonly source: HookSource;
}

/** How one hook of an event went (DELTA-HTEL-001). */
export interface HookRecord extends HookIdentity {
  /** True only for exit 0 (HOOK-070). */
  readonly success: boolean;
  readonly status: HookExecutionResult['status'];
  readonly decision?: HookExecutionResult['decision'];
  readonly durationMs: number;
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly error?: string;
}

/** How an event went (DELTA-HTEL-002). Success, blocks and failures add up to the hooks that ran. */
export interface HookBatchSummary {
  readonly event: HookEventName;
  readonly mode: 'parallel' | 'sequential' | null;
  /** How many hooks ran; 0 when none was meant for the event. */
  readonly hookCount: number;
  /** Ended with 0. */
  readonly successCount: number;
  /** Denied by ending with 2, which is neither success nor failure (C-101). */
  readonly blockCount: number;
  readonly failureCount: number;
  /** No hook failed and none ended with 2 (HOOK-160). */
  readonly success: boolean;
  /** The sum of the hooks' durations (G-04). */
  readonly totalDurationMs: number;
  /** From the first hook's start to the merged answer (G-04). */
  readonly wallTimeMs: number;
}

/** A failure: of one hook, or of the event itself (DELTA-HTEL-003). */
export interface HookFailureDiagnostic extends Partial<Omit<HookRecord, 'event'>> {
  /** Null when a message asked for something that is no event. */
  readonly event: HookEventName | null;
  readonly stage: HookStage;
  readonly message: string;
}

/** Whether a hook failed; one that denied did not. */
const hasFailed = ({ success, status }: HookExecutionResult): boolean =>
  !success && status !== 'ok';

export function hookRecord(result: HookExecutionResult): HookRecord {
  const { hook, event, success, status, decision, durationMs, exitCode, signal, timedOut } = result;
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

/** The diagnostic of a hook that failed; undefined for any other. */
export function hookDiagnostic(result: HookExecutionResult): HookFailureDiagnostic | undefined {
  if (!hasFailed(result)) return undefined;
  const message = result.error?.message ?? result.status;
  return { ...hookRecord(result), stage: 'execution', message };
}
