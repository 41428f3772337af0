import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { gatewayTo } from '../../support/gateway.ts';
import { hookAt } from '../../support/own-hooks.ts';
import {
  anthropic,
  chat,
  gemini,
  giveAnswer,
  type ProviderFormat,
  responses,
  startProvider,
} from '../../support/provider.ts';

/** What a provider's own package makes of a streamed answer. */
interface Told {
  readonly text: string;
  readonly calls: readonly (readonly [name: string, args: unknown])[];
}

const prompt = 'Read API_KEY=k-9f8e7d6c5b4a3210';
const parameters = { type: 'object', properties: {} } as const;

const clients: Readonly<Record<string, readonly [ProviderFormat, (url: string) => Promise<Told>]>> =
  {
    // prettier-ignore
    '@anthropic-ai/sdk': [
    anthropic,
    async (url) => {
      const client = new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'k', maxRetries: 0 });
      const message = await client.messages
        .stream({
          model: 'claude-opus-4-5',
          max_tokens: 100,
          messages: [{ role: 'user', content: prompt }],
          tools: [{ name: 'Write', input_schema: parameters }],
        })
        .finalMessage();
      return {
        text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: message.content.flatMap((block) =>
          block.type === 'tool_use' ? [[block.name, block.input] as const] : [],
        ),
      };
    },
  ],
    'openai, Chat Completions': [
      chat,
      async (url) => {
        const client = new OpenAI({ baseURL: `${url}/openai`, apiKey: 'k', maxRetries: 0 });
        const stream = client.chat.completions.stream({
          model: 'gpt-5',
          messages: [{ role: 'user', content: prompt }],
          tools: [{ type: 'function', function: { name: 'Write', parameters } }],
        });
        const message = await stream.finalMessage();
        return {
          text: message.content ?? '',
          calls: (message.tool_calls ?? []).flatMap((call) =>
            call.type === 'function'
              ? [[call.function.name, JSON.parse(call.function.arguments)] as const]
              : [],
          ),
        };
      },
    ],
    'openai, Responses': [
      responses,
      async (url) => {
        const client = new OpenAI({ baseURL: `${url}/openai`, apiKey: 'k', maxRetries: 0 });
        const stream = client.responses.stream({
          model: 'gpt-5',
          input: prompt,
          tools: [{ type: 'function', name: 'Write', parameters, strict: false }],
        });
        let told = '';
        stream.on('response.output_text.delta', ({ delta }) => (told += delta));
        const response = await stream.finalResponse();
        expect(told).toBe(response.output_text);
        return {
          text: response.output_text,
          calls: response.output.flatMap((item) =>
            item.type === 'function_call' ? [[item.name, JSON.parse(item.arguments)] as const] : [],
          ),
        };
      },
    ],
    '@google/genai': [
      gemini,
      async (url) => {
        const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: `${url}/gemini` } });
        const stream = await client.models.generateContentStream({
          model: 'gemini-2.5-flash',
          contents: prompt,
          config: { tools: [{ functionDeclarations: [{ name: 'Write' }] }] },
        });
        let text = '';
        const calls: (readonly [string, unknown])[] = [];
        for await (const chunk of stream) {
          for (const part of chunk.candidates?.[0]?.content?.parts ?? [])
            if (part.text !== undefined && part.thought !== true) text += part.text;
          for (const { name = '', args } of chunk.functionCalls ?? []) calls.push([name, args]);
        }
        return { text, calls };
      },
    ],
  };

const says = (answer: object): string => `cat > /dev/null; echo '${JSON.stringify(answer)}'`;

const editor = (code: string) => ({
  settings: hookAt('AfterModel', { type: 'module', module: './editor.mjs', stream: { holdBack: 9 } }), // prettier-ignore
  files: { 'editor.mjs': `export default ({ stream }) => { const { text } = stream ?? {}; if (text === undefined) return; ${code} };` }, // prettier-ignore
});

interface Case {
  readonly what: string;
  readonly settings: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly text: RegExp;
  readonly hasCall: boolean;
}

const cases: readonly Case[] = [
  { what: 'that no hook saw', settings: {}, text: /^Hello world$/, hasCall: true },
  {
    what: 'that hooks changed whole',
    settings: hookAt('AfterModel', says({ hookSpecificOutput: { hookEventName: 'AfterModel', llm_response: { text: 'Goodbye.' } } })), // prettier-ignore
    text: /^Goodbye\.$/,
    hasCall: true,
  },
  {
    what: 'that hooks changed as it came',
    ...editor('return { text: text.toUpperCase() };'),
    text: /^HELLO WORLD$/,
    hasCall: true,
  },
  {
    what: 'that a hook ended',
    ...editor(`return text.includes('w') ? { decision: 'deny', reason: 'No worlds.' } : { text };`),
    text: /No worlds\.$/,
    hasCall: false,
  },
  {
    what: 'that a hook gave in the place of the model',
    settings: hookAt('BeforeModel', says({ decision: 'deny', reason: 'Not now.' })),
    text: /^Not now\.$/,
    hasCall: false,
  },
  {
    what: 'with a call of a tool that hooks withdrew',
    settings: hookAt('BeforeToolSelection', says({ hookSpecificOutput: { hookEventName: 'BeforeToolSelection', toolConfig: { mode: 'NONE' } } })), // prettier-ignore
    text: /Write was not run/,
    hasCall: false,
  },
];

describe.each(Object.entries(clients))('%s understands an answer', (_, [format, ask]) => {
  test.each(cases)('$what', async ({ settings, files = {}, text, hasCall }) => {
    const call = { name: 'Write', args: { file_path: 'a', content: 'b "c" \\ é' } };
    const provider = await startProvider(giveAnswer(format, { texts: ['Hello world'], calls: [call] })); // prettier-ignore
    const { url } = await gatewayTo(provider, settings, { files });
    const told = await ask(url);
    expect(told.text).toMatch(text);
    expect(told.calls).toEqual(hasCall ? [[call.name, call.args]] : []);
  });

  test('with arguments that hold what was taken out of its request', async () => {
    const provider = await startProvider((response, request) => {
      const [mark] = /HM_SECRET_[0-9a-f]{16}/.exec(request.body) ?? [];
      const calls = [1, 2].map((at) => ({
        name: 'Write',
        args: { at, content: `key: ${mark}\n` },
      }));
      return giveAnswer(format, { texts: ['Ok'], calls })(response, request);
    });
    const { url } = await gatewayTo(provider, {}, { hidesSecrets: () => true });
    const { calls } = await ask(url);
    expect(calls).toEqual(
      [1, 2].map((at) => ['Write', { at, content: 'key: k-9f8e7d6c5b4a3210\n' }]),
    );
  });
});
