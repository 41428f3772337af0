import { randomUUID } from 'node:crypto';
import { messageOf } from '../../base/message-of.ts';
import { version } from '../../base/version.ts';
import { loadSender } from './packages.ts';
import type { SpanTarget } from './spans.ts';
import type { OtlpSettings } from '../../core/definitions/settings.ts';

/**
 * How long a collector may take to accept a batch, in ms; at its end the process waits no longer than this.
 * With a longer timeout, the exporter would retry.
 */
const defaultTimeout = 750;

/** How many spans may be queued for the collector. */
const mostWaiting = 8_192;

/** Sends spans and metrics to a collector. */
export interface OtlpTarget extends Pick<SpanTarget, 'api' | 'tracer' | 'meter'> {
  /** Sends what is left; afterwards nothing is sent any more. */
  readonly close: () => Promise<void>;
}

/** The outcome of an export. A connection error may have only a code. */
interface Sent {
  readonly code: number;
  readonly error?: Error;
}

/**
 * Starts sending to the collector that the settings name, or otherwise to the one that the environment names;
 * `failed` receives the reason whenever an export fails. The environment has no say in whether anything is
 * sent.
 *
 * @throws an error that says which packages to install
 */
export async function openOtlp(
  { endpoint, headers, timeout = defaultTimeout }: OtlpSettings,
  about: Readonly<Record<string, string>>,
  failed: (why: string) => void,
): Promise<OtlpTarget> {
  const { api, traces, metrics, resources, traceExporter, metricExporter } = await loadSender();
  const to = (path: string) => ({
    ...(endpoint !== undefined && { url: `${endpoint.replace(/\/+$/, '')}/v1/${path}` }),
    ...(headers && { headers: { ...headers } }),
    timeoutMillis: timeout,
    // If the collector closed an idle connection, the next export would be lost.
    keepAlive: false,
  });
  const spanExporter = new traceExporter.OTLPTraceExporter(to('traces'));
  const numberExporter = new metricExporter.OTLPMetricExporter(to('metrics'));
  reportFailures(spanExporter, failed);
  reportFailures(numberExporter, failed);
  const resource = resources.resourceFromAttributes({
    'service.name': 'hookmachine',
    'service.version': version,
    'service.instance.id': randomUUID(),
    ...about,
  });
  const tracing = new traces.TracerProvider({
    resource,
    sampler: new traces.AlwaysOnSampler(),
    spanProcessors: [
      new traces.BatchSpanProcessor({
        exporter: spanExporter,
        exportTimeoutMillis: timeout,
        maxQueueSize: mostWaiting,
      }),
    ],
  });
  const measuring = new metrics.MeterProvider({
    resource,
    readers: [
      new metrics.PeriodicExportingMetricReader({
        exporter: numberExporter,
        exportTimeoutMillis: timeout,
      }),
    ],
  });
  return {
    api,
    tracer: tracing.getTracer('hookmachine', version),
    meter: measuring.getMeter('hookmachine', version),
    close: async () => {
      const closed = await Promise.allSettled([tracing.shutdown(), measuring.shutdown()]);
      for (const end of closed) if (end.status === 'rejected') failed(messageOf(end.reason));
    },
  };
}

interface Exporter<Items> {
  export(items: Items, done: (sent: Sent) => void): void;
}

/** Has `failed` called with the reason of each export that fails. */
function reportFailures<Items>(exporter: Exporter<Items>, failed: (why: string) => void): void {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (sent) => {
      if (sent.code !== 0) failed(reasonOf(sent.error));
      done(sent);
    });
}

function reasonOf(error: (Error & { readonly code?: string }) | undefined): string {
  if (error === undefined) return 'the collector did not accept it';
  return error.message === '' ? (error.code ?? error.name) : messageOf(error);
}
