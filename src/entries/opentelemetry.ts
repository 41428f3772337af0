/** `hookmachine/opentelemetry`: spans and metrics of turns, calls and hooks. */

export { traceHooks, type TraceHooksOptions } from '../opentelemetry/trace-hooks.ts';
