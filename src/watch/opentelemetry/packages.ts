import type * as OtelApi from '@opentelemetry/api';
import type * as MetricExporter from '@opentelemetry/exporter-metrics-otlp-http';
import type * as TraceExporter from '@opentelemetry/exporter-trace-otlp-http';
import type * as Resources from '@opentelemetry/resources';
import type * as Metrics from '@opentelemetry/sdk-metrics';
import type * as Traces from '@opentelemetry/sdk-trace';
import { isNotInstalled, loadPackage } from '../../base/optional-package.ts';

/** The API of OpenTelemetry, which a program loads by itself. */
export type Api = typeof OtelApi;

/** The packages that are needed to send to a collector. */
interface Sender {
  readonly api: Api;
  readonly traces: typeof Traces;
  readonly metrics: typeof Metrics;
  readonly resources: typeof Resources;
  readonly traceExporter: typeof TraceExporter;
  readonly metricExporter: typeof MetricExporter;
}

const names = {
  api: '@opentelemetry/api',
  traces: '@opentelemetry/sdk-trace',
  metrics: '@opentelemetry/sdk-metrics',
  resources: '@opentelemetry/resources',
  traceExporter: '@opentelemetry/exporter-trace-otlp-http',
  metricExporter: '@opentelemetry/exporter-metrics-otlp-http',
} as const satisfies Record<keyof Sender, string>;

/** @throws an error that says which package to install */
export const loadApi = (): Promise<Api> => load(names.api, [names.api]) as Promise<Api>;

/** @throws an error that says which packages to install */
export async function loadSender(): Promise<Sender> {
  const all = Object.values(names);
  const loaded = await Promise.all(
    Object.entries(names).map(async ([key, name]) => [key, await load(name, all)] as const),
  );
  return Object.fromEntries(loaded) as unknown as Sender;
}

async function load(name: string, needed: readonly string[]): Promise<unknown> {
  try {
    return await loadPackage(name);
  } catch (cause) {
    if (!isNotInstalled(cause, name)) throw cause;
    throw new Error(
      `${name} is not installed; install it where hookmachine is installed: npm i ${needed.join(' ')}`,
      { cause },
    );
  }
}
