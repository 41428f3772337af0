import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** JSON of a provider, of which only some is looked at. */
// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

type Fields = Readonly<Record<string, unknown>>;

/** What a model answers. */
export interface Said {
  readonly texts?: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly args: Fields }[];
}

/** A provider's own format: the address of a call, its request and its answers as the real one writes them. */
export interface ProviderFormat {
  readonly name: 'anthropic' | 'openai' | 'gemini';
  readonly path: (stream: boolean) => string;
  readonly body: (text: string, options?: { readonly stream?: boolean; readonly tools?: readonly string[]; readonly result?: string; readonly system?: string }) => Fields; // prettier-ignore
  readonly stream: (said: Said) => string;
  readonly whole: (said: Said) => Fields;
  /** The texts, and the calls, of an answer that the gateway gave. */
  readonly read: (answer: string, stream: boolean) => { readonly text: string; readonly calls: readonly { readonly name: string; readonly args: unknown }[]; readonly reason: unknown }; // prettier-ignore
  readonly error: RegExp;
}

const event = (data: Fields | string, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

const typed = (data: Fields & { readonly type: string }): string => event(data, data.type);

/** The objects of a stream's events. */
export const eventsIn = (stream: string): Record<string, Loose>[] =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: ') && !line.includes('[DONE]'))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, Loose>);

const halves = (text: string): string[] => [text.slice(0, 3), text.slice(3)];

const tool = (name: string) => ({ name, description: 'It does something.', input_schema: { type: 'object' } }); // prettier-ignore

export const anthropic: ProviderFormat = {
  name: 'anthropic',
  path: () => '/v1/messages?beta=true',
  body: (text, { stream = false, tools = [], result, system } = {}) => ({
    model: 'claude-opus-4-5',
    max_tokens: 100,
    system: [{ type: 'text', text: system ?? 'Be nice.', cache_control: { type: 'ephemeral' } }],
    metadata: { user_id: 'user_1_account__session_7d2b9c1e-aaaa-bbbb-cccc-0123456789ab' },
    messages: [
      { role: 'user', content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] },
      ...(result === undefined
        ? []
        : [
            { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }, { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '.env' } }] }, // prettier-ignore
            {
              role: 'user',
              content: [{ type: 'tool_result', tool_use_id: 't1', content: result }],
            },
          ]),
    ],
    tools: tools.map(tool),
    ...(tools.length > 0 && { tool_choice: { type: 'auto' } }),
    future_field: { kept: true },
    ...(stream && { stream }),
  }),
  stream({ texts = [], calls = [] }) {
    let index = 0;
    const block = (content: Fields, deltas: readonly Fields[]): string => {
      const at = index++;
      return [
        typed({ type: 'content_block_start', index: at, content_block: content }),
        ...deltas.map((delta) => typed({ type: 'content_block_delta', index: at, delta })),
        typed({ type: 'content_block_stop', index: at }),
      ].join('');
    };
    return [
      typed({ type: 'message_start', message: { id: 'msg_a', type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 100, cache_read_input_tokens: 50, cache_creation_input_tokens: 10, output_tokens: 1 } } }), // prettier-ignore
      typed({ type: 'ping' }),
      block({ type: 'thinking', thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking: 'Hm.' },
        { type: 'signature_delta', signature: 'c2ln' },
      ]),
      ...texts.map((text) => block({ type: 'text', text: '' }, halves(text).map((one) => ({ type: 'text_delta', text: one })))), // prettier-ignore
      typed({ type: 'ping' }),
      ...calls.map(({ name, args }, at) =>
        block({ type: 'tool_use', id: `toolu_${at}`, name, input: {} }, [
          { type: 'input_json_delta', partial_json: '' },
          ...halves(JSON.stringify(args)).map((one) => ({ type: 'input_json_delta', partial_json: one })), // prettier-ignore
        ]),
      ),
      typed({ type: 'future_event', kept: true }),
      typed({ type: 'message_delta', delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 20 } }), // prettier-ignore
      typed({ type: 'message_stop' }),
    ].join('');
  },
  whole: ({ texts = [], calls = [] }) => ({
    id: 'msg_a',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-5',
    content: [
      ...texts.map((text) => ({ type: 'text', text })),
      ...calls.map(({ name, args }, at) => ({ type: 'tool_use', id: `toolu_${at}`, name, input: args })), // prettier-ignore
    ],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, cache_read_input_tokens: 50, cache_creation_input_tokens: 10, output_tokens: 20 }, // prettier-ignore
    future_field: 1,
  }),
  read(answer, stream) {
    if (!stream) {
      const { content, stop_reason: reason } = JSON.parse(answer) as Record<string, Loose>;
      return {
        text: content.filter((one: Loose) => one.type === 'text').map((one: Loose) => one.text).join(''), // prettier-ignore
        calls: content.filter((one: Loose) => one.type === 'tool_use').map((one: Loose) => ({ name: one.name, args: one.input })), // prettier-ignore
        reason,
      };
    }
    const events = eventsIn(answer);
    const names = new Map<number, string>();
    const args = new Map<number, string>();
    let text = '';
    for (const { type, index, content_block: block, delta } of events) {
      if (type === 'content_block_start' && block.type === 'tool_use') names.set(index, block.name);
      if (type !== 'content_block_delta') continue;
      if (delta.type === 'text_delta') text += delta.text;
      if (delta.type === 'input_json_delta') args.set(index, (args.get(index) ?? '') + delta.partial_json); // prettier-ignore
    }
    return {
      text,
      calls: [...names].map(([at, name]) => ({ name, args: JSON.parse(args.get(at) || '{}') })),
      reason: events.findLast(({ type }) => type === 'message_delta')?.['delta'].stop_reason,
    };
  },
  error: /"type":"error"/,
};

const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'gpt-5' };
const usageOfChat = { prompt_tokens: 160, completion_tokens: 20, total_tokens: 180, prompt_tokens_details: { cached_tokens: 50 }, completion_tokens_details: { reasoning_tokens: 5 } }; // prettier-ignore

const wholeOfChat = (message: Loose, reason: unknown) => ({
  text: message.content ?? '',
  calls: (message.tool_calls ?? []).map((one: Loose) => ({ name: one.function.name, args: JSON.parse(one.function.arguments) })), // prettier-ignore
  reason,
});

export const chat: ProviderFormat = {
  name: 'openai',
  path: () => '/chat/completions',
  body: (text, { stream = false, tools = [], result, system } = {}) => ({
    model: 'gpt-5',
    messages: [
      { role: 'system', content: system ?? 'Be nice.' },
      { role: 'user', content: text },
      ...(result === undefined
        ? []
        : [
            { role: 'assistant', content: null, tool_calls: [{ id: 't1', type: 'function', function: { name: 'Read', arguments: '{"file_path":".env"}' } }] }, // prettier-ignore
            { role: 'tool', tool_call_id: 't1', content: result },
          ]),
    ],
    tools: tools.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })), // prettier-ignore
    ...(tools.length > 0 && { tool_choice: 'auto' }),
    future_field: { kept: true },
    ...(stream && { stream, stream_options: { include_usage: true } }),
  }),
  stream: ({ texts = [], calls = [] }) =>
    [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }, // prettier-ignore
      { ...chunk, choices: [{ index: 0, delta: { reasoning_content: 'Hm.' }, finish_reason: null }] }, // prettier-ignore
      ...texts.flatMap(halves).map((content) => ({ ...chunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] })), // prettier-ignore
      ...calls.flatMap(({ name, args }, index) => [
        { ...chunk, choices: [{ index: 0, delta: { tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }] }, finish_reason: null }] }, // prettier-ignore
        ...halves(JSON.stringify(args)).map((one) => ({ ...chunk, choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: one } }] }, finish_reason: null }] })), // prettier-ignore
      ]),
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }] }, // prettier-ignore
      { ...chunk, choices: [], usage: usageOfChat },
      '[DONE]',
    ]
      .map((data) => event(data))
      .join(''),
  whole: ({ texts = [], calls = [] }) => ({
    ...chunk,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: texts.length > 0 ? texts.join('') : null,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ name, args }, at) => ({ id: `call_${at}`, type: 'function', function: { name, arguments: JSON.stringify(args) } })), // prettier-ignore
          }),
        },
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: usageOfChat,
    future_field: 1,
  }),
  read(answer, stream) {
    if (!stream) {
      const [choice] = (JSON.parse(answer) as Record<string, Loose>)['choices'];
      return wholeOfChat(choice.message, choice.finish_reason);
    }
    const message: Loose = { content: '', tool_calls: [] };
    let reason: unknown;
    for (const { choices } of eventsIn(answer)) {
      const [choice] = choices ?? [];
      message.content += choice?.delta?.content ?? '';
      for (const one of choice?.delta?.tool_calls ?? []) {
        const known = (message.tool_calls[one.index] ??= { function: { name: '', arguments: '' } });
        known.function.name += one.function.name ?? '';
        known.function.arguments += one.function.arguments ?? '';
      }
      reason = choice?.finish_reason ?? reason;
    }
    return wholeOfChat({ ...message, tool_calls: message.tool_calls.filter(Boolean) }, reason);
  },
  error: /"error":\{"message"/,
};

const usageOfResponses = { input_tokens: 160, input_tokens_details: { cached_tokens: 50 }, output_tokens: 20, output_tokens_details: { reasoning_tokens: 5 }, total_tokens: 180 }; // prettier-ignore

const itemsOf = ({ texts = [], calls = [] }: Said): Record<string, Loose>[] => [
  { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'b3BhcXVl' },
  ...texts.map((text, at) => ({ id: `msg_${at}`, type: 'message', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] })), // prettier-ignore
  ...calls.map(({ name, args }, at) => ({ id: `fc_${at}`, type: 'function_call', status: 'completed', call_id: `call_${at}`, name, arguments: JSON.stringify(args) })), // prettier-ignore
];

export const responses: ProviderFormat = {
  name: 'openai',
  path: () => '/responses',
  body: (text, { stream = false, tools = [], result, system } = {}) => ({
    model: 'gpt-5',
    instructions: system ?? 'Be nice.',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
      ...(result === undefined
        ? []
        : [
            { type: 'function_call', call_id: 't1', name: 'Read', arguments: '{"file_path":".env"}' }, // prettier-ignore
            { type: 'function_call_output', call_id: 't1', output: result },
          ]),
    ],
    tools: tools.map((name) => ({ type: 'function', name, parameters: { type: 'object' } })),
    ...(tools.length > 0 && { tool_choice: 'auto' }),
    future_field: { kept: true },
    ...(stream && { stream }),
  }),
  stream(said) {
    let sequence = 0;
    const send = (data: Fields & { readonly type: string }): string =>
      typed({ ...data, sequence_number: sequence++ });
    const items = itemsOf(said);
    const base = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5' };
    return [
      send({ type: 'response.created', response: { ...base, status: 'in_progress', output: [] } }),
      ...items.map((item, at) => {
        const place = { output_index: at, item_id: item['id'] };
        const done = send.bind(undefined);
        if (item['type'] === 'message') {
          const [part] = item['content'];
          const here = { ...place, content_index: 0 };
          return [
            send({ type: 'response.output_item.added', output_index: at, item: { ...item, status: 'in_progress', content: [] } }), // prettier-ignore
            send({ type: 'response.content_part.added', ...here, part: { ...part, text: '' } }),
            ...halves(part.text).map((delta) => send({ type: 'response.output_text.delta', ...here, delta })), // prettier-ignore
            send({ type: 'response.output_text.done', ...here, text: part.text }),
            send({ type: 'response.content_part.done', ...here, part }),
            done({ type: 'response.output_item.done', output_index: at, item }),
          ].join('');
        }
        if (item['type'] === 'function_call')
          return [
            send({ type: 'response.output_item.added', output_index: at, item: { ...item, status: 'in_progress', arguments: '' } }), // prettier-ignore
            ...halves(item['arguments']).map((delta) => send({ type: 'response.function_call_arguments.delta', ...place, delta })), // prettier-ignore
            send({ type: 'response.function_call_arguments.done', ...place, arguments: item['arguments'] }), // prettier-ignore
            send({ type: 'response.output_item.done', output_index: at, item }),
          ].join('');
        return [
          send({ type: 'response.output_item.added', output_index: at, item }),
          send({ type: 'response.output_item.done', output_index: at, item }),
        ].join('');
      }),
      send({ type: 'response.completed', response: { ...base, status: 'completed', output: items, usage: usageOfResponses } }), // prettier-ignore
    ].join('');
  },
  whole: (said) => ({ id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5', status: 'completed', output: itemsOf(said), usage: usageOfResponses, future_field: 1 }), // prettier-ignore
  read(answer, stream) {
    const response = stream
      ? eventsIn(answer).find(({ type }) => type === 'response.completed')?.['response']
      : (JSON.parse(answer) as Record<string, Loose>);
    const output: Loose[] = response?.output ?? [];
    const whole = output.filter((one) => one.type === 'message').flatMap((one) => one.content).map((one) => one.text).join(''); // prettier-ignore
    const told = eventsIn(stream ? answer : '').filter(({ type }) => type === 'response.output_text.delta').map((one) => one['delta']).join(''); // prettier-ignore
    if (stream && told !== whole) throw new Error(`told "${told}", and in the end "${whole}"`);
    const calls = output.filter((one) => one.type === 'function_call').map((one) => ({ name: one.name, args: JSON.parse(one.arguments) })); // prettier-ignore
    const done = eventsIn(stream ? answer : '').filter(({ type, item }) => type === 'response.output_item.done' && item.type === 'function_call'); // prettier-ignore
    if (stream && JSON.stringify(done.map((one) => JSON.parse(one['item'].arguments))) !== JSON.stringify(calls.map(({ args }) => args))) throw new Error('calls differ from what was told before'); // prettier-ignore
    return { text: whole, calls, reason: response?.status };
  },
  error: /"type":"response\.failed"|"error":\{"message"/,
};

const usageOfGemini = { promptTokenCount: 160, candidatesTokenCount: 15, thoughtsTokenCount: 5, cachedContentTokenCount: 50, totalTokenCount: 180 }; // prettier-ignore

export const gemini: ProviderFormat = {
  name: 'gemini',
  path: (stream) =>
    `/v1beta/models/gemini-2.5-flash:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (text, { tools = [], result, system } = {}) => ({
    systemInstruction: { parts: [{ text: system ?? 'Be nice.' }] },
    contents: [
      { role: 'user', parts: [{ text }] },
      ...(result === undefined
        ? []
        : [
            { role: 'model', parts: [{ functionCall: { id: 't1', name: 'Read', args: { file_path: '.env' } }, thoughtSignature: 'c2ln' }] }, // prettier-ignore
            { role: 'user', parts: [{ functionResponse: { id: 't1', name: 'Read', response: { output: result } } }] }, // prettier-ignore
          ]),
    ],
    tools: [{ functionDeclarations: tools.map((name) => ({ name })) }],
    ...(tools.length > 0 && { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } }),
    futureField: { kept: true },
  }),
  stream: ({ texts = [], calls = [] }) =>
    [
      [{ text: 'Hm.', thought: true }],
      ...texts.flatMap(halves).map((text) => [{ text }]),
      [
        ...calls.map(({ name, args }, at) => ({
          functionCall: { id: `call_${at}`, name, args },
          thoughtSignature: 'c2ln',
        })),
        ...(calls.length === 0 ? [{ text: '' }] : []),
      ],
    ]
      .map((parts, at, all) =>
        event({
          candidates: [{ content: { role: 'model', parts }, index: 0, ...(at === all.length - 1 && { finishReason: 'STOP' }) }], // prettier-ignore
          usageMetadata: usageOfGemini,
          modelVersion: 'gemini-2.5-flash',
          responseId: 'r1',
        }),
      )
      .join(''),
  whole: ({ texts = [], calls = [] }) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...texts.map((text) => ({ text })),
            ...calls.map(({ name, args }, at) => ({ functionCall: { id: `call_${at}`, name, args } })), // prettier-ignore
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: usageOfGemini,
    modelVersion: 'gemini-2.5-flash',
    responseId: 'r1',
    futureField: 1,
  }),
  read(answer, stream) {
    const all = stream ? eventsIn(answer) : [JSON.parse(answer) as Record<string, Loose>];
    const parts: Loose[] = all.flatMap((one) => one['candidates']?.[0]?.content?.parts ?? []);
    return {
      text: parts
        .filter((one) => !one.thought)
        .map((one) => one.text ?? '')
        .join(''),
      calls: parts.filter((one) => one.functionCall).map(({ functionCall: { name, args } }) => ({ name, args })), // prettier-ignore
      reason: all.findLast((one) => one['candidates']?.[0]?.finishReason)?.['candidates'][0].finishReason, // prettier-ignore
    };
  },
  error: /"error":\{"code"/,
};

export const providerFormats: Readonly<Record<string, ProviderFormat>> = {
  anthropic,
  chat,
  responses,
  gemini,
};

/** A provider on this machine. */
export interface Provider {
  readonly url: string;
  /** The requests that it received, in order. */
  readonly requests: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[]; // prettier-ignore
}

/** Starts a provider that answers as it is told, until the test ends. */
export async function startProvider(
  answer: (response: ServerResponse, request: { readonly url: string; readonly body: string }) => void | Promise<void>, // prettier-ignore
): Promise<Provider> {
  const requests: Provider['requests'] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const piece of request) chunks.push(piece as Buffer);
      const { url = '', headers } = request;
      const body = Buffer.concat(chunks).toString();
      requests.push({ url, headers, body });
      await answer(response, { url, body });
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A stream as it is sent: with a comment, which only bytes that nobody wrote anew still have. */
export const streamOf = (format: ProviderFormat, said: Said): string =>
  `: kept\n\n${format.stream(said)}`;

/** Writes an answer in a format, as a stream in pieces or whole. */
export function giveAnswer(
  format: ProviderFormat,
  said: Said,
): (
  response: ServerResponse,
  request: { readonly url: string; readonly body: string },
) => Promise<void> {
  return async (response, { url, body }) => {
    if (!/"stream":true|alt=sse/.test(body + url)) {
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r-1' });
      response.end(JSON.stringify(format.whole(said)));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'r-1' });
    const bytes = Buffer.from(streamOf(format, said));
    // In pieces that end anywhere, also within a character.
    for (let at = 0; at < bytes.length; at += 97) {
      response.write(bytes.subarray(at, at + 97));
      if (at % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}
