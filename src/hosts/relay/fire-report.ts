import type { AggregatedHookResult, HookExecutionResult } from '../../core/answers/results.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';

/** Returns the object that `hookmachine fire` prints; absent texts are null. */
export async function fireReport<Event extends HookEventName>(
  event: Event,
  fields: HookEventFields[Event],
  {
    success,
    finalOutput,
    verdict,
    toolInput,
    toolResponse,
    plan,
    results,
    conflicts,
  }: AggregatedHookResult,
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
    decision: verdict.decision ?? 'none',
    blocked,
    reason: blocked ? finalOutput!.getBlockReason() : (finalOutput?.reason ?? null),
    stop,
    stopReason: stop ? finalOutput!.getStopReason() : null,
    systemMessage: finalOutput?.systemMessage ?? null,
    additionalContext: finalOutput?.getAdditionalContext() ?? null,
    suppressOutput: finalOutput?.suppressOutput ?? false,
    // A block wins over a rewrite.
    toolInput: blocked ? null : finalInput(fields, { toolInput, finalOutput }),
    toolOutput: toolResponse ?? null,
    followUps: verdict.followUps,
    llmRequest: blocked ? null : finalRequest(fields, specific),
    llmResponse: finalOutput
      ? (await import('./final-response.ts')).finalResponse(event, finalOutput)
      : null,
    toolConfig: specific['toolConfig'] ?? null,
    hookSpecificOutput: finalOutput?.hookSpecificOutput ?? null,
    hooks: results.map(hookReport),
    conflicts,
    durationMs: Math.round(durationMs),
  };
}

/** What one hook did. */
const hookReport = (result: HookExecutionResult) => ({
  command: result.hook.command,
  ...(result.hook.name !== result.hook.command && { name: result.hook.name }),
  dialect: result.hook.dialect,
  source: result.hook.source,
  // A process that a signal ended has no exit code; the API reports 0.
  exitCode: result.signal === undefined ? result.exitCode : null,
  ...(result.signal !== undefined && { signal: result.signal }),
  timedOut: result.timedOut,
  success: result.success,
  durationMs: Math.round(result.durationMs),
  ...stderrOf(result),
  ...(result.error && { error: result.error.message }),
  ...(result.survivors && { survivors: result.survivors }),
  ...(result.notes.length > 0 && { notes: result.notes }),
});

/** How much of what a hook printed on stderr is shown, in characters. */
const longestStderr = 2_000;

/** What a hook printed on stderr, unless that is the reason for its denial. */
function stderrOf({ stderr, reason }: HookExecutionResult): { readonly stderr?: string } {
  const text = stderr.trim();
  if (text === '' || text === reason) return {};
  return { stderr: text.length > longestStderr ? `${text.slice(0, longestStderr)}…` : text };
}

/** The arguments as hooks left them; null when they changed nothing. */
export const finalInput = (
  fields: object,
  {
    toolInput,
    finalOutput,
  }: {
    readonly toolInput?: AggregatedHookResult['toolInput'] | undefined;
    readonly finalOutput?: AggregatedHookResult['finalOutput'] | undefined;
  },
): Readonly<Record<string, unknown>> | null =>
  toolInput ?? spreadOver(fields, 'tool_input', finalOutput?.hookSpecificOutput ?? {});

/** The event's object with the hooks' changes; null when they changed nothing. */
function spreadOver(
  fields: object,
  key: string,
  changes: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | null {
  const change = changes[key];
  if (!isRecord(change)) return null;
  const original = (fields as Readonly<Record<string, unknown>>)[key];
  return { ...(isRecord(original) ? original : {}), ...change };
}

/** The request with the hooks' changes; settings that they did not name stay. */
function finalRequest(fields: object, changes: Readonly<Record<string, unknown>>) {
  const request = spreadOver(fields, 'llm_request', changes);
  const { llm_request: original } = fields as { llm_request?: { config?: object } };
  return request && isRecord(request['config'])
    ? { ...request, config: { ...original?.config, ...request['config'] } }
    : request;
}

/** Returns what `fire` prints of an event that is denied because it could not be judged. */
export const deniedReport = (event: string, reason: string) => ({
  event,
  plan: null,
  hookCount: 0,
  success: false,
  decision: 'deny',
  blocked: true,
  reason,
  stop: false,
  stopReason: null,
  systemMessage: null,
  additionalContext: null,
  suppressOutput: false,
  toolInput: null,
  toolOutput: null,
  followUps: [],
  llmRequest: null,
  llmResponse: null,
  toolConfig: null,
  hookSpecificOutput: null,
  hooks: [],
  conflicts: [],
  durationMs: 0,
});
