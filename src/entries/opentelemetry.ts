/** `hookmachine/opentelemetry`: spans and metrics of turns, calls and hooks. */

export { traceHooks, type TraceHooksOptions } from '../watch/opentelemetry/trace-hooks.ts';
