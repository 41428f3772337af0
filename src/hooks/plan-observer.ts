import { debugChannel } from '../log.ts';
import { hookPointOf } from '../hook-points.ts';
import type { HookEventName } from '../protocol/events.ts';
import type { PlanObserver } from './plan-input.ts';
import type { AggregatedHookResult, HookExecutionResult } from '../verdict/results.ts';
import { batchSummary, hookDiagnostic, hookRecord, type HookTelemetry } from './telemetry.ts';

const debug = debugChannel('event-handler');
const debugRunner = debugChannel('runner');
const debugAggregator = debugChannel('aggregator');

/** Reports the hooks of one event as they end, to the debug log, the watchers and the user (HOOK-146, DELTA-HTEL). */
export function observePlan(telemetry: HookTelemetry, warn: (line: string) => void): PlanObserver {
  let startedAt: number | undefined;
  return {
    started(hook, payload) {
      startedAt ??= performance.now();
      debugRunner('%s "%s" starts; input %o', hook.event, hook.name, payload);
    },
    ended(result) {
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
      telemetry.tell('hook:result', () => hookRecord(result));
      const diagnostic = hookDiagnostic(result);
      if (diagnostic) telemetry.diagnose(diagnostic);
      for (const line of hookWarnings(result)) warn(line);
    },
    settled({ event }, result) {
      const now = performance.now();
      const wallTimeMs = now - (startedAt ?? now);
      debugAggregator('%s: merged %o, conflicts %o', event, result.finalOutput, result.conflicts);
      debug(
        'hook:batch_summary %s: %d hooks, success %s, %d ms in all, %d ms by the clock',
        event,
        result.results.length,
        result.success,
        Math.round(result.totalDuration),
        Math.round(wallTimeMs),
      );
      telemetry.tell('hook:batch_summary', () => batchSummary(event, result, wallTimeMs));
      if (result.failure) {
        const { stage, message } = result.failure;
        telemetry.diagnose({ event, stage, message });
        warn(`${event}: the answers that count cannot be determined (${message}); all of them do`);
      }
      for (const line of eventWarnings(event, result)) warn(line);
    },
  };
}

/** What a user must be told of one hook: that it failed, and what in its answer was not understood. */
function* hookWarnings(result: HookExecutionResult) {
  const { hook, event, error, status, decision, stderr, notes } = result;
  const name = `hook "${hook.name}" (${event})`;
  if (error && status !== 'cancelled') {
    const said = stderr.trim() === '' ? '' : `: ${stderr.trim()}`;
    const fate = decision === 'deny' ? 'blocks, as its settings say' : 'was ignored';
    yield `${name} failed and ${fate}: ${error.message}${said}`;
  }
  for (const note of notes) yield `${name}: ${note}`;
  for (const what of withoutEffect(result)) yield `${name}: ${what}, which has no effect here`;
}

/** What an answer asks for that its hook point cannot do. */
function* withoutEffect({ event, decision, effects }: HookExecutionResult) {
  const { slots, ask, defer } = hookPointOf(event);
  if (decision === 'ask' && !ask) yield 'it asks for a question';
  if (decision === 'defer' && !defer) yield 'it puts off what goes on';
  for (const effect of effects)
    if (effect.kind === 'replace' || effect.kind === 'patch')
      if (!slots.includes(effect.slot)) yield `it changes ${effect.slot}`;
}

/** What a user must be told of an event: a value that gave way, and a denial that does nothing. */
export function* eventWarnings(
  event: HookEventName,
  { conflicts, finalOutput }: AggregatedHookResult,
) {
  for (const { field, hooks, winner } of conflicts)
    yield `${event}: the hooks ${hooks.map((name) => `"${name}"`).join(' and ')} set ${field} differently; "${winner}" won`;
  if (isOnlyReported(event) && finalOutput?.isBlockingDecision())
    yield `${event} cannot be blocked; the denial ("${finalOutput.getBlockReason()}") has no effect`;
}

/** Callers that cannot block: a denial is reported, and does nothing (C-63). */
const isOnlyReported = (event: HookEventName): boolean =>
  event === 'AfterModel' || event === 'BeforeToolSelection';
