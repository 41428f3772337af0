import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Fields = Readonly<Record<string, unknown>>;

/** A tool call that a model asks for. */
export interface WantedCall {
  readonly name: string;
  readonly args: Fields;
}

/** A local stand-in for the models of all hosts. */
export interface ModelServer {
  readonly url: string;
  /** The requests that it received, in order, as JSON texts. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

/** How one provider's answers are written. */
interface Wire {
  /** Whether a request already contains the result of a tool. */
  readonly hasResult: (body: string) => boolean;
  readonly calls: (calls: readonly WantedCall[]) => readonly SentEvent[];
  readonly text: (text: string) => readonly SentEvent[];
}

/** A server-sent event; the name is undefined if the provider sends only data. */
type SentEvent = readonly [name: string | undefined, data: Fields | '[DONE]'];

/**
 * Serves a model that asks for these tool calls at once, and ends with a word once it has read a result.
 * Requests that offer no tools, such as one for a title, are answered with the word.
 */
export async function serveModel(
  wanted: readonly WantedCall[] | ((body: string) => readonly WantedCall[]),
): Promise<ModelServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, typeof wanted === 'function' ? wanted : () => wanted, requests);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  wantedFor: (body: string) => readonly WantedCall[],
  requests: string[],
): Promise<void> {
  const { url = '' } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const wire = wires.find(([path]) => path.test(url))?.[1];
  if (wire === undefined) {
    response.writeHead(/count_?tokens/i.test(url) ? 200 : 404, {
      'content-type': 'application/json',
    });
    response.end(JSON.stringify({ input_tokens: 1, totalTokens: 1, object: 'list', data: [] }));
    return;
  }
  requests.push(body);
  const wanted = wantedFor(body);
  const offers = wanted.every(({ name }) => body.includes(`"${name}"`));
  const events = offers && !wire.hasResult(body) ? wire.calls(wanted) : wire.text('done');
  if (/"stream":\s*true|alt=sse/.test(body + url)) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [name, data] of events)
      response.write(
        `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
      );
    response.end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(whole(url, events)));
}

/** The same without a stream, for providers whose hosts ask that way. */
function whole(url: string, events: readonly SentEvent[]): Fields {
  const [, first] = events[0]!;
  if (/generateContent/.test(url)) return first as Fields;
  if (/chat\/completions/.test(url))
    return {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
  return {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'done' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

/** The id of a call for the host, by its place. */
const idAt = (index: number): string => `call_${index + 1}`;

interface Block {
  readonly block: Fields;
  readonly delta: Fields;
}

const anthropic = (blocks: readonly Block[], reason: string): readonly SentEvent[] => {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage }; // prettier-ignore
  const events = [
    { type: 'message_start', message },
    ...blocks.flatMap(({ block, delta }, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => [event.type, event] as const);
};

const gemini = (...parts: readonly Fields[]): readonly SentEvent[] => [
  [
    undefined,
    {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'm',
    },
  ],
];

const chat = (delta: Fields, reason: string): readonly SentEvent[] => {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return [
    [undefined, { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] }],
    [undefined, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }] }],
    [undefined, { ...chunk, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }], // prettier-ignore
    [undefined, '[DONE]'],
  ];
};

const responses = (...items: readonly Fields[]): readonly SentEvent[] => {
  const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 }; // prettier-ignore
  const events = [
    { type: 'response.created', response: { id: 'resp_1' } },
    ...items.map((item, index) => ({
      type: 'response.output_item.done',
      output_index: index,
      item,
    })),
    { type: 'response.completed', response: { id: 'resp_1', usage } },
  ];
  return events.map((event) => [event.type, event] as const);
};

/** The providers by the path of a request. */
const wires: readonly (readonly [path: RegExp, wire: Wire])[] = [
  [
    /\/v1\/messages(?:\?|$)/,
    {
      hasResult: (body) => body.includes('"tool_result"'),
      calls: (calls) =>
        anthropic(
          calls.map(({ name, args }, index) => ({
            block: { type: 'tool_use', id: idAt(index), name, input: {} },
            delta: { type: 'input_json_delta', partial_json: JSON.stringify(args) },
          })),
          'tool_use',
        ),
      text: (text) =>
        anthropic(
          [{ block: { type: 'text', text: '' }, delta: { type: 'text_delta', text } }],
          'end_turn',
        ),
    },
  ],
  [
    /:(?:stream)?[gG]enerateContent/,
    {
      hasResult: (body) => body.includes('"functionResponse"'),
      calls: (calls) =>
        gemini(
          ...calls.map(({ name, args }, index) => ({
            functionCall: { id: idAt(index), name, args },
          })),
        ),
      text: (text) => gemini({ text }),
    },
  ],
  [
    /\/chat\/completions/,
    {
      hasResult: (body) => body.includes('"role":"tool"'),
      calls: (calls) =>
        chat(
          {
            role: 'assistant',
            tool_calls: calls.map(({ name, args }, index) => ({
              index,
              id: idAt(index),
              type: 'function',
              function: { name, arguments: JSON.stringify(args) },
            })),
          },
          'tool_calls',
        ),
      text: (text) => chat({ role: 'assistant', content: text }, 'stop'),
    },
  ],
  [
    /\/responses/,
    {
      hasResult: (body) => body.includes('_call_output"'),
      calls: (calls) =>
        responses(
          ...calls.map(({ name, args }, index) => ({
            type: 'function_call',
            call_id: idAt(index),
            name,
            arguments: JSON.stringify(args),
          })),
        ),
      text: (text) =>
        responses({
          type: 'message',
          role: 'assistant',
          id: 'm_1',
          content: [{ type: 'output_text', text }],
        }),
    },
  ],
];
