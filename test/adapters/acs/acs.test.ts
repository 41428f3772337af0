import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { isSigned, signed, type Envelope } from '../../../src/handlers/acs/wire.ts';
import { Guardian } from '../../../src/adapters/acs/guardian.ts';
import { answerOf } from '../../handlers/run-handler.ts';
import { relayBox } from '../../support/relay.ts';
import { startServe } from '../../support/serve.ts';

type Fields = Readonly<Record<string, unknown>>;

const request = (method: string, payload: object = {}, params: object = {}): Envelope => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    acs_version: '0.1.0',
    request_id: crypto.randomUUID(),
    timestamp: new Date().toISOString(),
    metadata: { agent_id: 'agent', session_id: 'session' },
    payload,
    ...params,
  },
});

const methods = [
  'toolCallRequest',
  'toolCallResult',
  'userMessage',
  'agentResponse',
  'sessionStart',
  'sessionEnd',
].map((name) => `steps/${name}`);

const by = (session: string, method: string, payload: object): Envelope =>
  request(method, payload, { metadata: { agent_id: 'agent', session_id: session } });

const keyed = (value: string) => ({
  signature: { algorithm: 'HMAC-SHA256', value, key_id: 'k1' },
});

const hello = request('handshake/hello', {
  acs_versions_supported: ['0.1.0'],
  methods_implemented: [...methods, 'steps/nothingThatExists'],
  transports_supported: ['http'],
  provenance_producer: 'none',
});
const bash = (command: string) => ({
  tool: { name: 'run_shell_command' },
  arguments: { command: { value: command } },
});

const report = (more: object) => ({
  hooks: [],
  blocked: false,
  stop: false,
  reason: null,
  decision: 'none',
  ...more,
});

const asked = async (one: Guardian, message: Envelope): Promise<Fields> => {
  const { result, error } = await one.answer(message);
  return (result ?? error) as Fields;
};

const guardian = (more: object = {}, secret?: string) =>
  new Guardian({ secret, judge: () => Promise.resolve(report(more) as never) });

describe('a Guardian', () => {
  test.each([
    [{}, { decision: 'allow' }],
    [
      { blocked: true, decision: 'deny', reason: 'No.' },
      { decision: 'deny', reasoning: 'No.', reason_codes: ['denied'] },
    ],
    [
      { stop: true, stopReason: 'Enough.' },
      { decision: 'deny', reasoning: 'Enough.', reason_codes: ['stopped'] },
    ],
    [
      { decision: 'ask', reason: 'Sure?' },
      { decision: 'ask', reasoning: 'Sure?', ask_details: { approver: { type: 'human' } } },
    ],
    [
      { decision: 'defer', reason: 'Later.' },
      { decision: 'defer', reasoning: 'Later.', defer_details: { timeout_decision: 'deny' } },
    ],
    [
      { toolInput: { command: 'b' } },
      { decision: 'modify', modifications: { parameter_overrides: { command: 'b' } } },
    ],
  ])('says what hooks decided: %j', async (more, result) => {
    const one = guardian(more);
    await one.answer(hello);
    expect(await asked(one, request('steps/toolCallRequest', bash('a')))).toMatchObject({
      type: 'final',
      acs_version: '0.1.0',
      ...result,
    });
  });

  test.each([
    ['steps/sessionEnd', { blocked: true, reason: 'No.' }, { decision: 'allow', reasoning: 'No.' }],
    [
      'steps/userMessage',
      { decision: 'ask', reason: 'Sure?' },
      { decision: 'deny', reasoning: 'Sure?' },
    ],
    ['steps/toolCallResult', { decision: 'defer', reason: 'Later.' }, { decision: 'deny' }],
  ])('answers %s only as the standard lets it', async (method, more, result) => {
    const one = guardian(more);
    await one.answer(hello);
    expect(await asked(one, request(method, { content: 'a' }))).toMatchObject(result);
  });

  test('negotiates the steps that it evaluates, and refuses what it does not speak', async () => {
    const answer = await asked(guardian(), hello);
    expect(answer).toMatchObject({
      negotiated_version: '0.1.0',
      methods_evaluated: methods,
      on_decision_failure: 'deny',
      profiles_accepted: ['acs-core'],
    });
    // Clients refuse what is wrapped into a decision.
    expect(Object.keys(answer)).not.toContain('payload');
    expect(Object.keys(answer)).not.toContain('decision');
    const with_ = (more: object) => ({
      ...hello,
      params: {
        ...(hello['params'] as object),
        payload: { ...((hello['params'] as Fields)['payload'] as object), ...more },
      },
    });
    expect(await asked(guardian(), with_({ acs_versions_supported: ['1.0.0'] }))).toMatchObject({
      code: -32_001,
    });
    expect(await asked(guardian(), with_({ transports_supported: ['stdio'] }))).toMatchObject({
      code: -32_000,
    });
  });

  test.each([
    ['a request before the greeting', request('steps/toolCallRequest', bash('a')), -32_003],
    [
      'a message of another protocol',
      { jsonrpc: '1.0', id: 1, method: 'steps/toolCallRequest', params: {} },
      -32_600,
    ],
    [
      'a request without an id',
      request('steps/toolCallRequest', {}, { request_id: undefined }),
      -32_602,
    ],
  ])('refuses %s', async (_, message, code) => {
    expect(await asked(guardian(), message)).toMatchObject({ code });
  });

  test('refuses an unknown step, a replay and a wrong clock', async () => {
    const one = guardian();
    await one.answer(hello);
    expect(await asked(one, request('steps/unknown'))).toMatchObject({ code: -32_601 });
    const step = request('steps/toolCallRequest', bash('a'));
    expect(await asked(one, step)).toMatchObject({ decision: 'allow' });
    expect(await asked(one, step)).toMatchObject({ code: -32_005 });
    expect(
      await asked(
        one,
        request('steps/toolCallRequest', bash('a'), { timestamp: '2020-01-01T00:00:00Z' }),
      ),
    ).toMatchObject({ code: -32_006 });
  });

  test('is not greeted twice with the same message, which would let old requests in again', async () => {
    const one = guardian();
    await one.answer(hello);
    const step = request('steps/toolCallRequest', bash('a'));
    await one.answer(step);
    expect(await asked(one, hello)).toMatchObject({ code: -32_005 });
    await one.answer({
      ...hello,
      params: { ...(hello['params'] as object), request_id: crypto.randomUUID() },
    });
    expect(await asked(one, step)).toMatchObject({ code: -32_005 });
  });

  test('signs its answers and refuses what is not signed, except a ping', async () => {
    const one = guardian({ blocked: true, reason: 'No.' }, 'secret');
    const ping = await one.answer(request('system/ping', { echo: 'a' }));
    expect(ping['result']).toMatchObject({
      decision: 'allow',
      payload: { status: 'ok', echo: 'a' },
    });
    expect(await asked(one, hello)).toMatchObject({ code: -32_004 });
    await one.answer(signed(hello, 'secret', 'session'));
    const step = signed(request('steps/toolCallRequest', bash('a')), 'secret', 'session');
    const moved = { ...step, method: 'steps/toolCallResult' };
    expect(await asked(one, moved)).toMatchObject({ code: -32_004 });
    const answer = await one.answer(step);
    expect(answer['result']).toMatchObject({ decision: 'deny' });
    expect(isSigned(answer, 'secret', 'session')).toBe(true);
    expect(isSigned(answer, 'secret', 'another session')).toBe(false);
    expect(
      isSigned(
        { ...answer, result: { ...(answer['result'] as object), decision: 'allow' } },
        'secret',
        'session',
      ),
    ).toBe(false);
  });

  /*
   * What the standard's own harness asks a Guardian that is not its own, in its order
   * (reference-implementations/agt/packages/conformance/src/external-guardian.ts).
   */
  test('answers the probes of the standard’s harness', async () => {
    const secret = 's'.repeat(32);
    const one = guardian({}, secret);
    const probe = async (message: Envelope, session: string) => {
      const answer = await one.answer(signed(message, secret, session, 'conformance'));
      expect(isSigned(answer, secret, session)).toBe(true);
      const { id, result, error } = answer;
      expect(id).toBe(message['id']);
      expect(((result ?? error) as Fields)['signature']).toMatchObject({ key_id: 'conformance' });
      return answer;
    };
    const client = {
      acs_versions_supported: ['0.1.0'],
      methods_implemented: ['steps/toolCallRequest', 'steps/toolCallResult'],
      transports_supported: ['http'],
      provenance_producer: 'none',
      profiles_supported: ['acs-core'],
    };
    const code = async (message: Envelope, session: string) =>
      ((await probe(message, session))['error'] as Fields | undefined)?.['code'];

    expect(
      await one.answer({
        jsonrpc: '1.0',
        method: 'steps/toolCallRequest',
        id: 'bad',
        params: {},
      }),
    ).toMatchObject({ error: { code: -32_600 } });
    expect(await code(by('early', 'steps/toolCallRequest', bash('ls')), 'early')).toBe(-32_003);
    const overPipes = { ...client, transports_supported: ['stdio'] };
    expect(await code(by('pipes', 'handshake/hello', overPipes), 'pipes')).toBe(-32_000);
    expect(await probe(by('main', 'handshake/hello', client), 'main')).toMatchObject({
      result: { negotiated_version: '0.1.0', methods_evaluated: client.methods_implemented },
    });
    const allowed = by('main', 'steps/toolCallRequest', bash('ls -la'));
    expect(await probe(allowed, 'main')).toMatchObject({
      result: { decision: 'allow', request_id: (allowed['params'] as Fields)['request_id'] },
    });
    expect(await code(allowed, 'main')).toBe(-32_005);
    const invalid = by('main', 'steps/toolCallRequest', { tool: { name: 'Bash' } });
    expect(await code(invalid, 'main')).toBe(-32_602);
    expect(await code(invalid, 'main')).toBe(-32_005);
    const content = [{ type: 'text', value: 'hello' }];
    const unagreed = by('main', 'steps/userMessage', { content });
    expect(await code(unagreed, 'main')).toBe(-32_003);
    expect(await code(unagreed, 'main')).toBe(-32_005);
  });

  // Computed by the standard's reference implementation in Go.
  test('takes the signatures of the standard’s published vectors', () => {
    const secret = Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)).toString();
    const session = '5c3f1b8e-9a0d-4c2e-8f4b-2d6a7e9c1b30';
    const id = '8d0b6b0e-4d6b-4f7a-9d1c-1f1c7f0e2a10';
    const params = {
      acs_version: '0.1.0',
      request_id: id,
      timestamp: '2026-09-19T10:00:00Z',
      metadata: { agent_id: 'agent', session_id: session },
      payload: { ...bash('echo rm -rf /'), tool: { name: 'Bash' }, raw_command: 'echo rm -rf /' },
      ...keyed('yJ3BXf/Hfc3jSnSMgOoNVGQ+5LKBKakvctDwE52lrM0='),
    };
    const step = { jsonrpc: '2.0', method: 'steps/toolCallRequest', id, params };
    const result = {
      type: 'final',
      acs_version: '0.1.0',
      request_id: id,
      decision: 'deny',
      reasoning: 'blocked',
      reason_codes: ['destructive_shell_command_blocked'],
      chain_hash: '14e6d50a913e8295606bc0d86ee9cde870040e0e0a319b13ae15836128d0d111',
      ...keyed('Shh4i+RWlfCNfAoFlE7gp5QUoyCI8jz3HMKHzH/2gG0='),
    };
    expect(isSigned(step, secret, session)).toBe(true);
    expect(isSigned({ jsonrpc: '2.0', id, result }, secret, session)).toBe(true);
    expect(isSigned({ ...step, id: 'other' }, secret, session)).toBe(false);
  });

  test('publishes the head of a chain that grows with each step', async () => {
    const one = guardian();
    await one.answer(hello);
    const heads = [];
    for (const command of ['a', 'b', 'c'])
      heads.push((await asked(one, request('steps/toolCallRequest', bash(command))))['chain_hash']);
    expect(new Set(heads).size).toBe(3);
    expect(heads.every((head) => /^[\da-f]{64}$/.test(String(head)))).toBe(true);
  });
});

describe('an acs hook', () => {
  const servers: (() => void)[] = [];
  afterEach(() => servers.splice(0).forEach((close) => close()));

  const guardianThat = async (
    answer: (message: Envelope) => object | Promise<object>,
  ): Promise<string> => {
    const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
      response.end(JSON.stringify(await answer((await json(incoming)) as Envelope)));
    };
    const server = createServer((incoming, response) => void handle(incoming, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    servers.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/acs`;
  };
  const deciding = (result: object) =>
    guardianThat(({ id, params }) => ({
      jsonrpc: '2.0',
      id,
      result: { type: 'final', request_id: (params as Fields)['request_id'], ...result },
    }));
  const modifying = (modifications: object) =>
    deciding({ decision: 'modify', reasoning: 'Changed.', modifications });
  const event = {
    hook_event_name: 'BeforeTool',
    session_id: 'session',
    tool_name: 'write_file',
    tool_input: { file_path: 'a' },
  };
  const ask = (url: string, more: object = {}) =>
    answerOf(
      url,
      { kind: 'acs', allowedUrls: ['http://127.0.0.1:*'] },
      { input: { ...event, ...more } },
    );

  test.each([
    [
      { decision: 'deny', reasoning: 'No.' },
      { decision: 'deny', reason: 'No.' },
    ],
    [
      { decision: 'ask', reasoning: 'Sure?' },
      { decision: 'ask', reason: 'Sure?' },
    ],
    [
      { decision: 'defer', reasoning: 'Later.' },
      { decision: 'deny', reason: 'Not decided yet: Later.' },
    ],
    [
      { decision: 'perhaps' },
      { decision: 'deny', reason: 'The Guardian answered with the decision "perhaps".' },
    ],
    [
      {
        decision: 'modify',
        reasoning: 'Changed.',
        modifications: { modified_content: 'a', redactions: [] },
      },
      { decision: 'deny', reason: 'Changed. (modify_unsupported)' },
    ],
  ])('understands %j', async (result, output) => {
    expect(await ask(await deciding(result))).toMatchObject(output);
  });

  test('changes arguments and results as the Guardian wants', async () => {
    expect(await ask(await modifying({ parameter_overrides: { content: 'b' } }))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'BeforeTool',
        tool_input: { file_path: 'a', content: 'b' },
      },
    });
    const after = {
      hook_event_name: 'AfterTool',
      tool_response: { llmContent: 'secret', returnDisplay: '' },
    };
    expect(await ask(await modifying({ modified_content: 'redacted' }), after)).toMatchObject({
      hookSpecificOutput: { tool_response: { llmContent: 'redacted' } },
    });
  });

  test('has no opinion where the Guardian allows', async () => {
    expect(await ask(await deciding({ decision: 'allow' }))).toBeUndefined();
  });

  test.each([
    [
      'an answer to another request',
      { jsonrpc: '2.0', id: 'another', result: { decision: 'allow' } },
      'is for another request',
    ],
    [
      'a refusal',
      { jsonrpc: '2.0', id: 1, error: { code: -32_004, message: 'SIGNATURE_INVALID' } },
      'the Guardian refused the request: SIGNATURE_INVALID (-32004)',
    ],
    ['an answer that is no result', { jsonrpc: '2.0', id: 1 }, 'is no JSON-RPC result'],
  ])('fails on %s', async (_, answer, message) => {
    expect(await ask(await guardianThat(() => answer))).toContain(message);
  });

  test('greets a Guardian that wants to be greeted', async () => {
    const greeted = new Guardian({
      secret: undefined,
      judge: () => Promise.resolve({ hooks: [], blocked: true, reason: 'Greeted.' } as never),
    });
    expect(await ask(await guardianThat((message) => greeted.answer(message)))).toMatchObject({
      decision: 'deny',
      reason: 'Greeted.',
    });
  });
});

test('serve answers signed requests of the standard, and contexts of AGENT-HOOKS, by its hooks', async () => {
  const box = relayBox();
  box.write('project/.hookmachine/settings.json', JSON.stringify({ guards: { shell: 'on' } }));
  const serving = await startServe(box);
  const at = { agent_id: 'a', session_id: 'session', cwd: box.project, platform: 'claude-code' };
  const post = async (message: Envelope, secret = serving.token) => {
    const body = signed(
      { ...message, params: { ...(message['params'] as object), metadata: at } },
      secret,
      'session',
    );
    const { status, answer } = await serving.post(body, {
      path: '/acs',
      headers: { authorization: undefined },
    });
    return { status, answer: answer as Envelope };
  };
  const step = request('steps/toolCallRequest', {
    tool: { name: 'Bash' },
    arguments: { command: { value: 'rm -rf ~' } },
  });
  expect((await post(hello, 'wrong')).answer['error']).toMatchObject({ code: -32_004 });
  expect((await post(hello)).answer['result']).toMatchObject({ negotiated_version: '0.1.0' });
  const { answer } = await post(step);
  expect(answer['result']).toMatchObject({
    decision: 'deny',
    reasoning: expect.stringContaining('shell/delete-home') as string,
  });
  expect(isSigned(answer, serving.token, 'session')).toBe(true);

  const tool_call = { id: 'c', name: 'run_shell_command', args: { command: 'rm -rf ~' } };
  const context = {
    spec: 'agent-hooks/0.1',
    interception_point: 'pre_tool_call',
    timestamp: new Date().toISOString(),
    sequence: 1,
    agent: { id: 'a', framework: 'test' },
    session: { id: 's' },
    tool_call,
    target: tool_call.args,
    extensions: { cwd: box.project },
  };
  const judged = await serving.post(context, { path: '/agent-hooks' });
  expect(judged.answer).toMatchObject({
    decision: 'deny',
    reason: 'denied',
    message: expect.stringContaining('shell/delete-home') as string,
  });
  const invalid = await serving.post({ ...context, target: undefined }, { path: '/agent-hooks' });
  expect([invalid.status, invalid.body]).toEqual([
    400,
    expect.stringContaining('"target" is missing'),
  ]);
  expect(
    (await serving.post(context, { path: '/agent-hooks', headers: { authorization: undefined } }))
      .status,
  ).toBe(401);
}, 60_000);

const wrapped = (values: Fields) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }]));

test('serve translates the calls of known agents, and its answers to them', async () => {
  const box = relayBox();
  box.write(
    'project/.hookmachine/hooks/moved.mjs',
    `let text = '';
for await (const part of process.stdin) text += part;
const { tool_input } = JSON.parse(text);
if (tool_input.file_path?.endsWith('.pem')) console.log('{"decision":"deny","reason":"No keys."}');
else console.log(JSON.stringify({ hookSpecificOutput: { tool_input: { ...tool_input, file_path: '/moved' } } }));`,
  );
  const moved = { type: 'command', command: 'node .hookmachine/hooks/moved.mjs' };
  const seen = {
    type: 'command',
    command: `echo '{"decision":"block","reason":"Not this result."}'`,
  };
  box.write(
    'project/.hookmachine/settings.json',
    JSON.stringify({
      hooks: {
        'tool.before': [{ matcher: 'write_file', hooks: [moved] }],
        'tool.after': [{ matcher: 'run_shell_command', hooks: [seen] }],
      },
    }),
  );
  const serving = await startServe(box);
  const step = async (platform: string, method: string, payload: object) => {
    const metadata = { agent_id: 'a', session_id: platform, cwd: box.project, platform };
    const post = async (message: Envelope) => {
      const whole = { ...message, params: { ...(message['params'] as object), metadata } };
      const { answer } = await serving.post(signed(whole, serving.token, platform), {
        path: '/acs',
        headers: { authorization: undefined },
      });
      return (answer as Envelope)['result'];
    };
    const { params } = hello as { readonly params: object };
    await post({ ...hello, params: { ...params, request_id: crypto.randomUUID() } });
    return post(request(`steps/${method}`, payload));
  };
  expect(
    await step('opencode', 'toolCallRequest', {
      tool: { name: 'write' },
      arguments: wrapped({ filePath: '/a', content: 'x' }),
    }),
  ).toMatchObject({
    decision: 'modify',
    modifications: { parameter_overrides: { filePath: '/moved' } },
  });
  // A patch is judged as the files that it would write.
  const patch = `*** Begin Patch
*** Add File: a.txt
+a
*** Add File: server.pem
+b
*** End Patch`;
  expect(
    await step('codex', 'toolCallRequest', {
      tool: { name: 'apply_patch' },
      arguments: wrapped({ command: patch }),
    }),
  ).toMatchObject({ decision: 'deny', reasoning: expect.stringContaining('No keys.') as string });
  expect(
    await step('claude-code', 'toolCallResult', {
      tool: { name: 'Bash' },
      arguments: wrapped({ command: 'ls' }),
      exit_status: 'success',
      outputs: [{ value: 'a' }],
    }),
  ).toMatchObject({ decision: 'deny', reasoning: 'Not this result.' });
});
