import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { expect, onTestFinished, test } from 'vitest';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { traceHooks } from '../../../src/entries/opentelemetry.ts';
import { otlpReceiver, outline, treeOf } from '../../support/otlp-receiver.ts';
import { startSession } from '../../support/session.ts';

test('hooks are traced within the spans of the program that uses them, until tracing is stopped', async () => {
  const receiver = await otlpReceiver();
  const provider = new TracerProvider({
    spanProcessors: [
      new SimpleSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${receiver.endpoint}/v1/traces` }),
      }),
    ],
  });
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  trace.setGlobalTracerProvider(provider);
  onTestFinished(() => {
    context.disable();
    trace.disable();
  });
  const { config } = await startSession({
    BeforeTool: [
      { matcher: 'guarded', hooks: [{ type: 'command', name: 'fine', command: 'true' }] },
    ],
  });
  const call = (name: string) =>
    executeToolWithHooks(config, name, {}, () =>
      Promise.resolve({ llmContent: 'ok', returnDisplay: 'ok' }),
    );
  const stop = await traceHooks(config.getHookSystem());
  await provider.getTracer('the program').startActiveSpan('request', async (span) => {
    await Promise.all([call('guarded'), call('plain')]);
    span.end();
  });
  await call('plain');
  stop();
  await call('guarded');
  await provider.forceFlush();
  const tree = treeOf(receiver.spans());
  expect(outline(tree.filter(({ name }) => name === 'request')).toSorted()).toEqual([
    '      run_hook fine',
    '    hook BeforeTool',
    '  execute_tool guarded',
    '  execute_tool plain',
    'request',
  ]);
  expect(outline(tree.filter(({ name }) => name !== 'request'))).toEqual([
    'session',
    '  execute_tool plain',
  ]);
  await provider.shutdown();
});

test('guards are reported under the names for guardrails if that is asked for, and other hooks are not', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const { config } = await startSession({
    BeforeTool: [
      {
        hooks: [
          { type: 'command', name: 'guards/shell', command: 'echo no >&2; exit 2' },
          { type: 'command', name: 'mine', command: 'true' },
        ],
      },
    ],
  });
  const stop = await traceHooks(config.getHookSystem(), {
    tracer: provider.getTracer('test'),
    guardrails: true,
  });
  await executeToolWithHooks(config, 'a', {}, () =>
    Promise.resolve({ llmContent: 'ok', returnDisplay: 'ok' }),
  );
  stop();
  await provider.forceFlush();
  expect(
    exporter
      .getFinishedSpans()
      .flatMap(({ events }) => events.map((one) => [one.name, one.attributes])),
  ).toEqual([
    [
      'gen_ai.guardrail.result',
      {
        'gen_ai.guardrail.component.name': 'hookmachine',
        'gen_ai.guardrail.policy.id': 'guards/shell',
        'gen_ai.guardrail.result.type': 'decision',
        'gen_ai.guardrail.result.value': 'deny',
        'gen_ai.guardrail.source': 'BeforeTool',
      },
    ],
  ]);
  await provider.shutdown();
});
