import type { Meter, Tracer } from '@opentelemetry/api';
import { journalTo } from '../journal/journal.ts';
import { warn, type WarningSink } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import { redactedIn } from '../../settings/redaction/redact-settings.ts';
import { redactor } from '../../settings/redaction/redactor.ts';
import { version } from '../../base/version.ts';
import { loadApi } from './packages.ts';
import { HookSpans } from './spans.ts';
import type { InspectObserver } from '../../core/host/config.ts';

/** The part of a hook system that is used here. */
interface TracedSystem {
  readonly config: { getWorkingDir(): string; readonly onWarning?: WarningSink };
  observe(observer: InspectObserver): () => void;
}

export interface TraceHooksOptions {
  /** Default: those of the provider that the program registered. */
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /**
   * Whether what the built-in guards decide is also reported as `gen_ai.guardrail.result` events, whose names may still
   * change; default false.
   */
  readonly guardrails?: boolean;
}

const scope = 'hookmachine';

/**
 * Reports every turn, model call, tool call and hook to the program's own OpenTelemetry, as spans and metrics
 * without payloads. If `@opentelemetry/api` is not installed, a warning says so, and nothing is traced.
 * Returns a function that stops it, to be called before the provider is shut down.
 *
 * @example
 * const stop = await traceHooks(config.getHookSystem());
 */
export async function traceHooks(
  system: TracedSystem | undefined,
  { tracer, meter, guardrails }: TraceHooksOptions = {},
): Promise<() => void> {
  if (system === undefined) return () => undefined;
  const { config } = system;
  try {
    const api = await loadApi();
    const redact = redactedIn(config.getWorkingDir(), {}, () => undefined);
    const spans = new HookSpans({
      api,
      tracer: tracer ?? api.trace.getTracer(scope, version),
      meter: meter ?? api.metrics.getMeter(scope, version),
      redactor: redactor(redact),
      isNested: true,
      guardrails,
    });
    const stopObserving = system.observe(
      journalTo((entry) => spans.take(entry), { redact, moves: false }).observe,
    );
    return () => {
      stopObserving();
      spans.end();
    };
  } catch (error) {
    warn(config.onWarning, `hooks are not traced: ${messageOf(error)}`);
    return () => undefined;
  }
}
