/** A server over stdio with the tools, resources and prompts that the published conformance suite asks for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const image = { type: 'image', data: png, mimeType: 'image/png' };
const text = (said) => ({ type: 'text', text: said });
const resource = (uri, mimeType, said) => ({
  type: 'resource',
  resource: { uri, mimeType, text: said },
});
const options = (word) =>
  [1, 2, 3].map((number) => ({ const: `value${number}`, title: `${word} ${number}` }));
const labels = ['option1', 'option2', 'option3'];

const capabilities = {
  completions: {},
  logging: {},
  prompts: {},
  resources: { subscribe: true },
  tools: {},
};
const server = new Server({ name: 'conformance', version: '1' }, { capabilities });

const elicited = async ({ sendRequest }, message, properties, required) => {
  const requestedSchema = { type: 'object', properties, ...(required && { required }) };
  const params = { message, requestedSchema };
  const asked = { method: 'elicitation/create', params };
  const { action, content } = await sendRequest(asked, types.ElicitResultSchema);
  return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)];
};

const tools = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }],
  test_embedded_resource: () => [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: () => [
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  async test_tool_with_logging(_, { sendNotification }) {
    for (const data of ['started', 'processing data', 'completed']) {
      const params = { level: 'info', data: `Tool execution ${data}` };
      await sendNotification({ method: 'notifications/message', params });
      await sleep(50);
    }
    return [text('Logged.')];
  },
  async test_tool_with_progress(_, { sendNotification, _meta: { progressToken } = {} }) {
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      await sendNotification({ method: 'notifications/progress', params });
      await sleep(50);
    }
    return [text('Done.')];
  },
  test_error_handling() {
    throw new Error('This tool intentionally returns an error for testing');
  },
  async test_sampling({ prompt }, { sendRequest }) {
    const messages = [{ role: 'user', content: text(prompt) }];
    const asked = { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } };
    const { content } = await sendRequest(asked, types.CreateMessageResultSchema);
    return [text(`LLM response: ${content.text}`)];
  },
  test_elicitation: ({ message }, extra) =>
    elicited(extra, message, { username: { type: 'string' }, email: { type: 'string' } }, [
      'username',
      'email',
    ]),
  test_elicitation_sep1034_defaults: (_, extra) =>
    elicited(extra, 'Defaults', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  test_elicitation_sep1330_enums: (_, extra) =>
    elicited(extra, 'Enums', {
      untitledSingle: { type: 'string', enum: labels },
      titledSingle: { type: 'string', oneOf: options('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: labels } },
      titledMulti: { type: 'array', items: { anyOf: options('Choice') } },
    }),
};

server.setRequestHandler(types.ListToolsRequestSchema, () => ({
  tools: Object.keys(tools).map((name) => ({
    name,
    description: name,
    inputSchema: { type: 'object', properties: {} },
  })),
}));
server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
  try {
    return { content: await tools[params.name](params.arguments ?? {}, extra) };
  } catch (error) {
    return { content: [text(error.message)], isError: true };
  }
});

const contents = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched.' },
};
server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
  resources: Object.entries(contents).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
}));
server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({
  resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
}));
server.setRequestHandler(types.ReadResourceRequestSchema, ({ params: { uri } }) => {
  const [, id] = /^test:\/\/template\/(.*)\/data$/.exec(uri) ?? [];
  const templated = {
    mimeType: 'application/json',
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  };
  return { contents: [{ uri, ...(contents[uri] ?? templated) }] };
});
server.setRequestHandler(types.SubscribeRequestSchema, () => ({}));
server.setRequestHandler(types.UnsubscribeRequestSchema, () => ({}));

const said = (content) => ({ role: 'user', content });
const prompts = {
  test_simple_prompt: () => [said(text('This is a simple prompt for testing.'))],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    said(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
    said(text('Please process the embedded resource above.')),
  ],
  test_prompt_with_image: () => [said(image), said(text('Please analyze the image above.'))],
};
server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
  prompts: Object.keys(prompts).map((name) => ({ name, description: name })),
}));
server.setRequestHandler(types.GetPromptRequestSchema, ({ params }) => ({
  messages: prompts[params.name](params.arguments ?? {}),
}));
server.setRequestHandler(types.CompleteRequestSchema, () => ({
  completion: { values: ['paris', 'park', 'party'], total: 150, hasMore: false },
}));

await server.connect(new StdioServerTransport());
