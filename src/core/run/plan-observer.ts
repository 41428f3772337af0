import type { HookPayload } from '../../../machines/hook-event.ts';
import { failureCode } from '../../base/errors.ts';
import { debugChannel, type PlainWarning, type WarningSink } from '../../base/log.ts';
import type { Effect } from '../answers/answer.ts';
import type { AggregatedHookResult, HookExecutionResult } from '../answers/results.ts';
import type { RegisteredHook } from '../definitions/hook-definition.ts';
import { hookPointOf } from '../points/hook-points.ts';
import type { HookEventName } from '../protocol/events.ts';
import { batchSummary, hookDiagnostic, hookRecord, type HookTelemetry } from './telemetry.ts';

const debug = debugChannel('event-handler');
const debugRunner = debugChannel('runner');
const debugAggregator = debugChannel('aggregator');

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
  const name = `hook "${hook.name}" (${event})`;
  if (error && status !== 'cancelled') {
    const said = stderr.trim() === '' ? '' : `: ${stderr.trim()}`;
    const fate = isInTime
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
