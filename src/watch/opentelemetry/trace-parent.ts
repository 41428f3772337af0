import type { Context } from '@opentelemetry/api';
import type { Api } from './packages.ts';

const header = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/;

/**
 * Returns the context that a process belongs to according to its `TRACEPARENT`, in the format of W3C Trace
 * Context.
 */
export function parentIn(
  { ROOT_CONTEXT, trace, isSpanContextValid }: Api,
  { TRACEPARENT = '' }: NodeJS.ProcessEnv,
): Context {
  const [, traceId = '', spanId = '', flags = ''] = header.exec(TRACEPARENT) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}
