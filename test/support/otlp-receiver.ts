import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A span in the form of OTLP. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface OtlpMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: { readonly dataPoints: readonly DataPoint[] };
  readonly histogram?: { readonly dataPoints: readonly DataPoint[] };
}

interface DataPoint {
  readonly attributes: readonly Attribute[];
  readonly asDouble?: number;
  readonly count?: number;
}

interface Resource {
  readonly resource: { readonly attributes: readonly Attribute[] };
}

interface Traces {
  readonly resourceSpans: readonly (Resource & {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  })[];
}

interface Metrics {
  readonly resourceMetrics: readonly (Resource & {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  })[];
}

/** A collector that accepts OTLP over HTTP, as JSON. */
export async function otlpReceiver() {
  const bodies: { readonly path: string; readonly text: string }[] = [];
  const headers: Record<string, unknown>[] = [];
  const endpoint = await listen((request, response) => {
    let text = '';
    headers.push(request.headers);
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      bodies.push({ path: request.url!, text });
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  const sent = <Body>(path: string): Body[] =>
    bodies.filter((body) => body.path === path).map(({ text }) => JSON.parse(text) as Body);
  const traces = () => sent<Traces>('/v1/traces').flatMap(({ resourceSpans }) => resourceSpans);
  return {
    endpoint,
    headers,
    /** Everything that was received, to search in. */
    text: () => bodies.map(({ text }) => text).join('\n'),
    resource: () => attributesOf(traces()[0]!.resource),
    spans: () => traces().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    /** The points of each metric, by its name, with their attributes. */
    metrics: () =>
      Object.fromEntries(
        sent<Metrics>('/v1/metrics')
          .flatMap(({ resourceMetrics }) => resourceMetrics)
          .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
          .map(({ name, unit, sum, histogram }) => [
            name,
            (sum ?? histogram)!.dataPoints.map(({ attributes, asDouble, count }) => ({
              ...attributesOf({ attributes }),
              [unit]: asDouble ?? count,
            })),
          ]),
      ),
  };
}

/** A collector that accepts everything and never answers. */
export const silentCollector = (): Promise<string> => listen(() => undefined);

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const attributesOf = ({
  attributes,
}: {
  readonly attributes: readonly Attribute[];
}): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A span with its attributes, and the spans below it. */
interface SpanNode {
  readonly name: string;
  readonly isError: boolean;
  readonly says: Readonly<Record<string, unknown>>;
  readonly below: readonly SpanNode[];
}

/** Spans as a tree, those of the same parent in the order in which they began. */
export const treeOf = (spans: readonly OtlpSpan[], parent?: string): SpanNode[] =>
  spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .toSorted((one, other) =>
      Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)),
    )
    .map((span) => ({
      name: span.name,
      isError: span.status.code === 2,
      says: attributesOf(span),
      below: treeOf(spans, span.spanId),
    }));

/** A tree of spans as lines, the failed ones marked. */
export const outline = (nodes: readonly SpanNode[], depth = 0): string[] =>
  nodes.flatMap(({ name, isError, below }) => [
    `${'  '.repeat(depth)}${name}${isError ? ' !' : ''}`,
    ...outline(below, depth + 1),
  ]);
