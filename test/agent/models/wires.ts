/** The wire format of a provider, as its documentation describes it. */
export interface Wire {
  /** An answer of these text pieces. */
  text(...pieces: string[]): string[];
  /** An answer that calls tools. */
  calls(...calls: { name: string; args: object }[]): string[];
  /** The beginning of an answer: one text piece and no end. */
  begun(piece: string): string[];
  /** A body that reports a failure. */
  failure(message: string): object;
  /** An event that is not JSON. */
  readonly garbage: string;
  /** An event that reports a failure in mid-stream. */
  brokeDown(message: string): string;
}

const data = (value: object | string): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;

const openAIChunk = (delta: object, finish: string | null = null): string =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'wire-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const openAIEnd = (finish: string): string[] => [
  openAIChunk({}, finish),
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'wire-model',
    choices: [],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  }),
  data('[DONE]'),
];

export const openAI: Wire = {
  text: (...pieces) => [
    openAIChunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => openAIChunk({ content })),
    ...openAIEnd('stop'),
  ],
  calls: (...calls) => [
    ...calls.flatMap(({ name, args }, index) => {
      const text = JSON.stringify(args);
      return [
        openAIChunk({
          tool_calls: [
            { index, id: `id-${index}`, type: 'function', function: { name, arguments: '' } },
          ],
        }),
        ...[text.slice(0, 3), text.slice(3)].map((piece) =>
          openAIChunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ];
    }),
    ...openAIEnd('tool_calls'),
  ],
  begun: (content) => [openAIChunk({ role: 'assistant', content })],
  failure: (message) => ({ error: { message, type: 'some_error', param: null, code: null } }),
  garbage: data('{"id": "chatcmpl-1", "cho'),
  brokeDown: (message) => data({ error: { message, type: 'server_error' } }),
};

const geminiChunk = (parts: object[], finishReason?: string): string =>
  data({
    candidates: [
      {
        content: { role: 'model', parts },
        index: 0,
        ...(finishReason !== undefined && { finishReason }),
      },
    ],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    modelVersion: 'wire-model',
    responseId: 'response-1',
  });

export const gemini: Wire = {
  text: (...pieces) => [
    ...pieces.slice(0, -1).map((text) => geminiChunk([{ text }])),
    geminiChunk([{ text: pieces.at(-1) }], 'STOP'),
  ],
  calls: (...calls) => [
    geminiChunk(
      calls.map((functionCall) => ({ functionCall })),
      'STOP',
    ),
  ],
  begun: (text) => [geminiChunk([{ text }])],
  failure: (message) => ({ error: { code: 400, message, status: 'SOME_STATUS' } }),
  garbage: data('{"candidates": [{"content": '),
  brokeDown: (message) => data({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
};

const claude = (event: { type: string; [key: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const claudeStart = claude({
  type: 'message_start',
  message: {
    id: 'response-1',
    type: 'message',
    role: 'assistant',
    model: 'wire-model',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 1 },
  },
});

const claudeEnd = (stop_reason: string): string[] => [
  claude({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 7 },
  }),
  claude({ type: 'message_stop' }),
];

const claudeText = (pieces: readonly string[]): string[] => [
  claudeStart,
  claude({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  ...pieces.map((text) =>
    claude({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  ),
];

export const anthropic: Wire = {
  text: (...pieces) => [
    ...claudeText(pieces),
    claude({ type: 'content_block_stop', index: 0 }),
    ...claudeEnd('end_turn'),
  ],
  calls: (...calls) => [
    claudeStart,
    ...calls.flatMap(({ name, args }, index) => {
      const text = JSON.stringify(args);
      return [
        claude({
          type: 'content_block_start',
          index,
          content_block: { type: 'tool_use', id: `id-${index}`, name, input: {} },
        }),
        ...[text.slice(0, 3), text.slice(3)].map((partial_json) =>
          claude({
            type: 'content_block_delta',
            index,
            delta: { type: 'input_json_delta', partial_json },
          }),
        ),
        claude({ type: 'content_block_stop', index }),
      ];
    }),
    ...claudeEnd('tool_use'),
  ],
  begun: (piece) => claudeText([piece]),
  failure: (message) => ({ type: 'error', error: { type: 'some_error', message } }),
  garbage: 'event: content_block_delta\ndata: {"type": "content_bl\n\n',
  brokeDown: (message) => claude({ type: 'error', error: { type: 'overloaded_error', message } }),
};

/** Signed thinking by Anthropic, followed by text. */
export const anthropicThinking: string[] = [
  claudeStart,
  claude({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  }),
  claude({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: 'Let me see.' },
  }),
  claude({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'signature_delta', signature: 'signed' },
  }),
  claude({ type: 'content_block_stop', index: 0 }),
  claude({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
  claude({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Seen.' } }),
  claude({ type: 'content_block_stop', index: 1 }),
  ...claudeEnd('end_turn'),
];

export { geminiChunk, openAIChunk, openAIEnd };
