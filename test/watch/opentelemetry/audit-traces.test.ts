import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ChatLoop } from '../../../src/agent/loop/chat-loop.ts';
import { executeToolWithHooks } from '../../../src/core/calls/run-tool-call.ts';
import { createConfig } from '../../../src/hosts/system/create-config.ts';
import { all } from '../../support/chat.ts';
import { hasEtcOfItsOwn, hookmachine } from '../../support/hookmachine.ts';
import { otlpReceiver, outline, silentCollector, treeOf } from '../../support/otlp-receiver.ts';
import { sandbox, type Sandbox } from '../../support/sandbox.ts';
import { saying, someModel, wanting } from '../../support/some-model.ts';
import { someTool } from '../../support/some-tool.ts';
import { waitUntil } from '../../support/until.ts';

const hook = (name: string, command: string) => ({ type: 'command', name, command });
const noKeys = hook('no-keys', 'echo Keys such as ghp_0123456789abcdefghij stay out. >&2; exit 2');

/** A machine whose administrator has sessions traced. */
function traced(opentelemetry: unknown, hooks: object, audit: object = {}): Sandbox {
  const box = sandbox();
  box.write(box.own.system, { managed: { audit: { ...audit, opentelemetry } }, hooks });
  return box;
}

function configOf(box: Sandbox) {
  const warnings: string[] = [];
  const config = createConfig({
    cwd: box.project,
    systemFolder: box.systemFolder,
    sessionId: 's1',
    onWarning: (line) => warnings.push(line),
  });
  const call = (name: string) =>
    executeToolWithHooks(config, name, { content: 'secret-of-arguments' }, () =>
      Promise.resolve({ llmContent: 'secret-of-result', returnDisplay: '' }),
    );
  return { config, warnings, call, end: () => config.getHookSystem()?.dispose() };
}

describe('traces of an audited session', () => {
  test('the traces of a session are one tree of the turn, its calls, events and hooks, without payloads', async () => {
    const receiver = await otlpReceiver();
    const box = traced(
      { endpoint: receiver.endpoint, headers: { 'x-team': 'guards' } },
      {
        BeforeTool: [
          { matcher: 'write_file', hooks: [noKeys] },
          { matcher: 'read_file|fail', hooks: [hook('look', 'echo secret-of-stdout >&2')] },
        ],
        AfterTool: [{ matcher: 'read_file', hooks: [hook('broken', 'exit 1')] }],
      },
    );
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    vi.stubEnv('TRACEPARENT', `00-${traceId}-b7ad6b7169203331-00`);
    const { config, warnings, call, end } = configOf(box);
    const args = { path: 'secret-of-arguments' };
    const calls = ['read_file', 'write_file', 'fail'].map((name) =>
      wanting(name, args, `id-${name}`),
    );
    const tools = [
      someTool('read_file'),
      someTool('write_file'),
      someTool('fail', () => Promise.reject(new Error('secret-of-error'))),
    ];
    const chat = new ChatLoop({
      config,
      model: someModel(saying(...calls), 'secret-of-answer'),
      tools: new Map(tools.map((tool) => [tool.name, tool])),
    });
    await all(chat.run('secret-of-prompt'));
    await call('plain');
    end();
    await waitUntil(() => receiver.spans().some(({ name }) => name === 'session'));
    await waitUntil(() => receiver.metrics()['hookmachine.denials'] !== undefined);

    expect(warnings.filter((line) => line.includes('traced'))).toEqual([]);
    const spans = receiver.spans();
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    const tree = treeOf(spans, 'b7ad6b7169203331');
    expect(outline(tree)).toEqual([
      'session',
      '  invoke_agent',
      '    chat some-model',
      '    execute_tool read_file',
      '      hook BeforeTool',
      '        run_hook look',
      '      hook AfterTool',
      '        run_hook broken !',
      '    execute_tool write_file',
      '      hook BeforeTool',
      '        run_hook no-keys',
      '    execute_tool fail !',
      '      hook BeforeTool',
      '        run_hook look',
      '    chat some-model',
      '  execute_tool plain',
    ]);
    const denied = tree[0]!.below[0]!.below[2]!;
    expect(denied.says).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'write_file',
      'gen_ai.tool.call.id': 'id-write_file',
      'gen_ai.conversation.id': 's1',
      'hookmachine.status': 'blocked',
      'hookmachine.decision': 'deny',
      'hookmachine.decided_by': 'no-keys',
      'hookmachine.reason': 'Keys such as [redacted] stay out.',
    });
    expect(denied.below[0]!.below[0]!.says).toEqual({
      'hookmachine.event': 'BeforeTool',
      'hookmachine.hook.name': 'no-keys',
      'hookmachine.hook.source': 'system',
      'hookmachine.hook.dialect': expect.any(String),
      'hookmachine.hook.status': 'ok',
      'hookmachine.decision': 'deny',
      'process.exit.code': 2,
    });
    expect(tree[0]!.below[0]!.below[1]!.below[1]!.below[0]!.says).toMatchObject({
      'error.type': 'exit-1',
      'process.exit.code': 1,
    });
    for (const span of spans) {
      const above = spans.find(({ spanId }) => spanId === span.parentSpanId);
      if (above === undefined) continue;
      expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(
        BigInt(above.startTimeUnixNano),
      );
      expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(above.endTimeUnixNano));
    }
    expect(receiver.text()).not.toMatch(/secret-of|ghp_/);
    expect(receiver.resource()).toMatchObject({
      'service.name': 'hookmachine',
      'process.working_directory': box.project,
    });
    expect(receiver.headers[0]).toMatchObject({ 'x-team': 'guards' });
    const metrics = receiver.metrics();
    expect(metrics['hookmachine.denials']).toEqual([
      {
        'hookmachine.event': 'BeforeTool',
        'hookmachine.hook.name': 'no-keys',
        'gen_ai.tool.name': 'write_file',
        '{denial}': 1,
      },
    ]);
    expect(metrics['hookmachine.hook.failures']).toEqual([
      {
        'hookmachine.event': 'AfterTool',
        'hookmachine.hook.name': 'broken',
        'error.type': 'exit-1',
        '{failure}': 1,
      },
    ]);
    expect(metrics['hookmachine.hook.duration']).toContainEqual({
      'hookmachine.event': 'BeforeTool',
      'hookmachine.hook.name': 'look',
      'hookmachine.hook.status': 'ok',
      s: 2,
    });
    expect(metrics['gen_ai.execute_tool.duration']).toHaveLength(4);
    expect(metrics['gen_ai.client.operation.duration']).toMatchObject([{ s: 2 }]);
  });

  test('traces that no collector accepts stop nothing, and are reported once', async () => {
    const box = traced({ endpoint: 'http://127.0.0.1:9' }, { BeforeTool: [{ hooks: [noKeys] }] });
    const { warnings, call, end } = configOf(box);
    for (const _ of [1, 2, 3]) expect((await call('write_file')).llmContent).toContain('stay out');
    end();
    await waitUntil(() => warnings.some((line) => line.includes('traced')));
    expect(warnings).toEqual([
      expect.stringMatching(/^this session is not fully traced: .*(?:ECONNREFUSED|collector)/),
    ]);
  });

  test.skipIf(!hasEtcOfItsOwn)(
    'the traces of a process end with it, even if the collector never answers',
    async () => {
      const receiver = await otlpReceiver();
      const hooks = { BeforeTool: [{ hooks: [noKeys] }] };
      const event = JSON.stringify({ tool_name: 'write_file', tool_input: {} });
      const traceId = '0af7651916cd43dd8448eb211c80319c';
      const fire = (box: Sandbox) =>
        hookmachine(
          { ...box, env: { ...box.env, TRACEPARENT: `00-${traceId}-b7ad6b7169203331-01` } },
          ['fire', 'BeforeTool', '--session-id', 's1'],
          event,
        );
      const taken = sandbox();
      const file = join(taken.folder, 'log.jsonl');
      taken.write(taken.own.system, { managed: { audit: { file, opentelemetry: { endpoint: receiver.endpoint } } }, hooks }); // prettier-ignore
      const silent = sandbox();
      silent.write(silent.own.system, { managed: { audit: { opentelemetry: { endpoint: await silentCollector(), timeout: 300 } } }, hooks }); // prettier-ignore
      const [one, other] = await Promise.all([fire(taken), fire(silent)]);
      expect([one.exitCode, one.stderr]).toEqual([2, '']);
      expect(outline(treeOf(receiver.spans(), 'b7ad6b7169203331'))).toEqual([
        'session',
        '  hook BeforeTool',
        '    run_hook no-keys',
      ]);
      expect(receiver.spans()[0]).toMatchObject({ traceId });
      expect(other.exitCode).toBe(2);
      expect(JSON.parse(other.stdout)).toMatchObject({ blocked: true });
      expect(other.stderr).toMatch(/^hookmachine.*: this session is not fully traced: .+$/);
    },
  );
});
