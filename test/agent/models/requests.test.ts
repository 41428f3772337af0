import { expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/core/translate/model.ts';
import {
  anthropicAdapters,
  describeEach,
  geminiAdapters,
  googleAdapter,
  openAIAdapters,
  type Adapter,
} from './adapters.ts';
import { ask, failureOf } from './ask.ts';
import { providerServer, streaming } from './provider-server.ts';

/** Returns what the provider receives for a request. */
async function sent({ wire, model }: Adapter, request: Partial<ModelRequest>) {
  const server = await providerServer(streaming(wire.text('Yes')));
  await ask(model(server.url), request);
  return server.arrived[0]!;
}

const image = 'aW1hZ2U=';

const declare = (...names: string[]) => [
  {
    functionDeclarations: names.map((name) => ({
      name,
      description: `does ${name}`,
      parametersJsonSchema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { path: { type: 'string' } },
        required: ['path'],
      },
    })),
  },
];

const conversation: ModelRequest['contents'] = [
  {
    role: 'user',
    parts: [
      { text: 'What is on it?' },
      { inlineData: { mimeType: 'image/png', data: image } } as object,
    ],
  },
  {
    role: 'model',
    parts: [
      { text: 'I will look.' },
      { functionCall: { id: 'id-1', name: 'read_file', args: { path: 'a' } } },
      { functionCall: { id: 'id-2', name: 'read_file', args: { path: 'b' } } },
    ],
  },
  {
    role: 'user',
    parts: [
      { text: '[System] Be quick.' },
      { functionResponse: { id: 'id-1', name: 'read_file', response: { output: 'A' } } },
      { functionResponse: { id: 'id-2', name: 'read_file', response: { error: 'no b' } } },
    ],
  },
];

const settings: ModelRequest['config'] = {
  systemInstruction: 'Be kind.',
  temperature: 0,
  maxOutputTokens: 100,
  topP: 0.5,
  stopSequences: ['END'],
  presencePenalty: 0.1,
  frequencyPenalty: 0.2,
};

const answer = (output: string) => ({
  functionResponse: { name: 'glob', response: { output } },
});

describeEach(openAIAdapters, 'requests through $title', (adapter) => {
  test('settings and the system instruction are sent', async () => {
    const { url, body } = await sent(adapter, { config: settings });
    expect(url).toBe('/chat/completions');
    expect(body).toMatchObject({
      model: 'wire-model',
      stream: true,
      temperature: 0,
      max_tokens: 100,
      top_p: 0.5,
      stop: ['END'],
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
      ],
    });
    expect(body).not.toHaveProperty('tools');
    expect(body).not.toHaveProperty('tool_choice');
  });

  test('images, tool calls and results are sent, with the results directly after the calls', async () => {
    const { body } = await sent(adapter, { contents: conversation });
    expect(body.messages).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is on it?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
        ],
      },
      {
        role: 'assistant',
        content: 'I will look.',
        tool_calls: [
          { id: 'id-1', function: { name: 'read_file', arguments: '{"path":"a"}' } },
          { id: 'id-2', function: { name: 'read_file', arguments: '{"path":"b"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'id-1', content: 'A' },
      { role: 'tool', tool_call_id: 'id-2', content: 'no b' },
      { role: 'user', content: '[System] Be quick.' },
    ]);
  });

  test('calls and results without ids are matched by name and order', async () => {
    const call = { functionCall: { name: 'glob', args: {} } };
    const { body } = await sent(adapter, {
      contents: [
        { role: 'user', parts: [{ text: 'Go' }] },
        { role: 'model', parts: [call, call] },
        { role: 'user', parts: [answer('one')] },
        { role: 'user', parts: [{ text: 'Hm.' }] },
        { role: 'user', parts: [answer('two')] },
      ],
    });
    const [, asked, one, two, said] = body.messages;
    expect(asked.tool_calls[0].id).not.toBe(asked.tool_calls[1].id);
    expect(one).toMatchObject({ tool_call_id: asked.tool_calls[0].id, content: 'one' });
    expect(two).toMatchObject({ tool_call_id: asked.tool_calls[1].id, content: 'two' });
    expect(said).toMatchObject({ role: 'user', content: 'Hm.' });
  });

  test('tools are sent as JSON Schema', async () => {
    const { body } = await sent(adapter, { config: { tools: declare('read_file') } });
    expect(body.tools).toMatchObject([
      {
        type: 'function',
        function: {
          name: 'read_file',
          description: 'does read_file',
          parameters: {
            type: 'object',
            properties: { path: { type: 'string' } },
            required: ['path'],
          },
        },
      },
    ]);
    expect(body.tools[0].function.parameters).not.toHaveProperty('$schema');
    expect(body.tool_choice).toBeUndefined();
  });

  test("tools with Google's own form of a schema, or without parameters, are sent as JSON Schema", async () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        paths: { type: 'ARRAY', items: { type: 'STRING' }, minItems: '1' },
        type: { anyOf: [{ type: 'INTEGER' }, { type: 'BOOLEAN' }], nullable: false },
        note: { type: 'STRING', nullable: true },
      },
      propertyOrdering: ['paths'],
    };
    const { body } = await sent(adapter, {
      config: {
        tools: [
          { functionDeclarations: [{ name: 'a', parameters }] },
          { functionDeclarations: [{ name: 'b' }] },
        ],
      },
    });
    expect(body.tools[0].function.parameters).toEqual({
      type: 'object',
      properties: {
        paths: { type: 'array', items: { type: 'string' }, minItems: 1 },
        type: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
        note: { type: ['string', 'null'] },
      },
    });
    expect(body.tools[1].function.parameters).toEqual({ type: 'object', properties: {} });
  });

  test.each([
    ['AUTO', undefined, ['a', 'b', 'c'], 'auto'],
    ['ANY', undefined, ['a', 'b', 'c'], 'required'],
    ['NONE', [], ['a', 'b', 'c'], 'none'],
    ['AUTO', ['b', 'c'], ['b', 'c'], 'auto'],
    [undefined, ['c'], ['c'], undefined],
    ['ANY', ['a', 'c', 'unknown'], ['a', 'c'], 'required'],
    ['ANY', ['b'], ['b'], { type: 'function', function: { name: 'b' } }],
    ['VALIDATED', ['b'], ['b'], 'auto'],
    ['ANY', [], undefined, undefined],
    ['AUTO', ['unknown'], undefined, undefined],
  ] as const)(
    'mode %s with %j lets the model see %j (C-48, C-88)',
    async (mode, allowed, names, choice) => {
      const functionCallingConfig = {
        ...(mode && { mode }),
        ...(allowed && { allowedFunctionNames: [...allowed] }),
      };
      const config = { tools: declare('a', 'b', 'c'), toolConfig: { functionCallingConfig } };
      const { body } = await sent(adapter, { config });
      const tools = body.tools as { function: { name: string } }[] | undefined;
      expect(tools?.map((tool) => tool.function.name)).toEqual(names);
      expect(body.tool_choice).toEqual(choice);
    },
  );

  test('structured results are sent as JSON, and images with their result', async () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: image } }];
    const { body } = await sent(adapter, {
      contents: [
        { role: 'user', parts: [{ text: 'Go' }] },
        { role: 'model', parts: [{ functionCall: { id: 'x', name: 'shoot' } }] },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'x', name: 'shoot', response: { a: 1, b: ['c'] } } },
            {
              functionResponse: {
                id: 'y',
                name: 'shoot',
                response: { output: 'seen' },
                parts,
              } as object,
            },
          ],
        },
      ],
    });
    expect(JSON.parse(body.messages[2].content)).toEqual({ a: 1, b: ['c'] });
    expect(body.messages[3].content).toContain('seen');
    expect(body.messages[3].content).toContain(image);
  });

  test('a tool that the provider runs is refused, not silently dropped', async () => {
    const { wire, model } = adapter;
    const server = await providerServer(streaming(wire.text('Yes')));
    const config = { tools: [{ googleSearch: {} } as object] };
    const error = await failureOf(model(server.url), { config });
    expect(error.message).toMatch(/accept only function declarations.*googleSearch; remove that/);
    expect(server.arrived).toEqual([]);
  });
});

describeEach([googleAdapter, ...geminiAdapters], 'requests through $title', (adapter) => {
  test('settings, system instruction, conversation and tools are sent', async () => {
    const { url, headers, body } = await sent(adapter, {
      contents: conversation,
      config: { ...settings, topK: 7, tools: declare('read_file') },
    });
    expect(url).toContain('/models/wire-model:streamGenerateContent?alt=sse');
    expect(headers['x-goog-api-key']).toBe('key');
    expect(body.generationConfig).toMatchObject({
      temperature: 0,
      maxOutputTokens: 100,
      topP: 0.5,
      topK: 7,
      stopSequences: ['END'],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
    });
    expect(body.systemInstruction.parts).toEqual([{ text: 'Be kind.' }]);
    const [first, second, third] = body.contents;
    expect(first.parts).toEqual([
      { text: 'What is on it?' },
      { inlineData: { mimeType: 'image/png', data: image } },
    ]);
    expect(second).toMatchObject({
      role: 'model',
      parts: [
        { text: 'I will look.' },
        { functionCall: { name: 'read_file', args: { path: 'a' } } },
        { functionCall: { name: 'read_file', args: { path: 'b' } } },
      ],
    });
    expect(JSON.stringify(third)).toContain('"functionResponse"');
    const [{ functionDeclarations }] = body.tools;
    expect(functionDeclarations[0]).toMatchObject({
      name: 'read_file',
      description: 'does read_file',
    });
  });

  test.each([
    ['AUTO', ['b', 'c'], ['b', 'c']],
    ['ANY', ['b', 'unknown'], ['b']],
    ['NONE', [], ['a', 'b', 'c']],
    ['ANY', [], undefined],
  ] as const)(
    'mode %s with %j is sent in a form that Gemini accepts (C-88)',
    async (mode, allowed, names) => {
      const functionCallingConfig = { mode, allowedFunctionNames: [...allowed] };
      const config = { tools: declare('a', 'b', 'c'), toolConfig: { functionCallingConfig } };
      const { body } = await sent(adapter, { config });
      const declared = body.tools?.[0]?.functionDeclarations as { name: string }[] | undefined;
      expect(declared?.map(({ name }) => name)).toEqual(names);
      const calling = body.toolConfig?.functionCallingConfig;
      expect(calling?.mode).toBe(names && mode);
      if (mode !== 'ANY') expect(calling).not.toHaveProperty('allowedFunctionNames');
    },
  );

  test('thought signatures are returned to the provider', async () => {
    const signed = {
      functionCall: { id: 'x', name: 'glob', args: {} },
      thoughtSignature: 'signed',
    };
    const { body } = await sent(adapter, {
      contents: [
        { role: 'user', parts: [{ text: 'Go' }] },
        { role: 'model', parts: [signed] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'x', name: 'glob', response: { output: '' } } }],
        },
      ],
    });
    expect(body.contents[1].parts[0].thoughtSignature).toBe('signed');
  });
});

test("a request is not changed by Google's client, which modifies its arguments (G-05)", async () => {
  const request = {
    contents: conversation,
    config: {
      ...settings,
      tools: declare('a'),
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['a'] } },
    },
  };
  const before = structuredClone(request);
  await sent(googleAdapter, request);
  expect(request).toEqual(before);
});

test('a request that names another model goes to that model', async () => {
  const { url } = await sent(googleAdapter, { model: 'gemini-other' });
  expect(url).toContain('/models/gemini-other:');
});

describeEach(anthropicAdapters, 'requests through $title', (adapter) => {
  test('settings, system instruction, conversation and tools are sent', async () => {
    const { url, headers, body } = await sent(adapter, {
      contents: conversation,
      config: {
        systemInstruction: { parts: [{ text: 'Be kind.' }] },
        maxOutputTokens: 100,
        topK: 7,
        stopSequences: ['END'],
        tools: declare('read_file', 'glob'),
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read_file'] } },
      },
    });
    expect(url).toBe('/messages');
    expect(headers['x-api-key']).toBe('key');
    expect(body).toMatchObject({
      model: 'wire-model',
      max_tokens: 100,
      top_k: 7,
      stop_sequences: ['END'],
      system: [{ type: 'text', text: 'Be kind.' }],
      tool_choice: { type: 'tool', name: 'read_file' },
      tools: [{ name: 'read_file', input_schema: { required: ['path'] } }],
    });
    expect(body.tools).toHaveLength(1);
    const [first, second, third] = body.messages;
    expect(first.content[1]).toMatchObject({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: image },
    });
    expect(second.content).toMatchObject([
      { type: 'text', text: 'I will look.' },
      { type: 'tool_use', id: 'id-1', input: { path: 'a' } },
      { type: 'tool_use', id: 'id-2', input: { path: 'b' } },
    ]);
    expect(third).toMatchObject({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'id-1', content: 'A' },
        { type: 'tool_result', tool_use_id: 'id-2', is_error: true },
        { type: 'text', text: '[System] Be quick.' },
      ],
    });
  });
});
