import type { AggregatedHookResult } from '../hooks/results.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { HookEventName } from '../protocol/events.ts';
import { isRecord } from '../protocol/output.ts';

/** What `hookmachine fire` prints: one object, absent texts null. */
export function fireReport<Event extends HookEventName>(
  event: Event,
  fields: HookEventFields[Event],
  { success, finalOutput, plan, results, conflicts }: AggregatedHookResult,
  durationMs: number,
) {
  const blocked = finalOutput?.isBlockingDecision() ?? false;
  const stop = finalOutput?.shouldStopExecution() ?? false;
  const specific = finalOutput?.hookSpecificOutput ?? {};
  return {
    event,
    plan,
    hookCount: results.length,
    success,
    blocked,
    reason: blocked ? finalOutput!.getBlockReason() : (finalOutput?.reason ?? null),
    stop,
    stopReason: stop ? finalOutput!.getStopReason() : null,
    systemMessage: finalOutput?.systemMessage ?? null,
    additionalContext: finalOutput?.getAdditionalContext() ?? null,
    suppressOutput: finalOutput?.suppressOutput ?? false,
    // A block wins over a rewrite (G-19).
    toolInput: blocked ? null : spreadOver(fields, 'tool_input', specific),
    llmRequest: blocked ? null : spreadOver(fields, 'llm_request', specific),
    llmResponse: specific['llm_response'] ?? null,
    toolConfig: specific['toolConfig'] ?? null,
    hookSpecificOutput: finalOutput?.hookSpecificOutput ?? null,
    hooks: results.map((result) => ({
      command: result.hook.command,
      ...(result.hook.name !== result.hook.command && { name: result.hook.name }),
      source: result.hook.source,
      exitCode: result.exitCode,
      ...(result.signal !== undefined && { signal: result.signal }),
      timedOut: result.timedOut,
      success: result.success,
      durationMs: Math.round(result.durationMs),
      ...(result.error && { error: result.error.message }),
    })),
    conflicts,
    durationMs: Math.round(durationMs),
  };
}

/** The event's object with what hooks changed of it; null when they changed nothing. */
function spreadOver(fields: object, key: string, changes: Readonly<Record<string, unknown>>) {
  const change = changes[key];
  if (!isRecord(change)) return null;
  const original = (fields as Readonly<Record<string, unknown>>)[key];
  return { ...(isRecord(original) ? original : {}), ...change };
}
