import { withHooks } from '../../../src/entries/ai-sdk.ts';
import type { MakeSubject } from '../bench/measure.ts';

interface Prompted {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
}

/** How many calls the prompt asks for. */
const wantedBy = ({ prompt }: Prompted): number =>
  prompt.at(-1)?.role === 'tool' ? 0 : Number(/\d+/.exec(JSON.stringify(prompt.at(-1)))?.[0]);

const callsFor = (asked: Prompted) =>
  Array.from({ length: wantedBy(asked) }, (_, index) => ({
    type: 'tool-call',
    toolCallId: `call-${index}`,
    toolName: 'read',
    input: '{"path":"a.txt"}',
  }));

/** A model that makes as many tool calls as it is told to, and then says something. */
export function benchModel(specificationVersion: 'v2' | 'v3' | 'v4') {
  const isOld = specificationVersion === 'v2';
  const count = (total: number): unknown => (isOld ? total : { total });
  const usage = { inputTokens: count(3), outputTokens: count(4), totalTokens: 7 };
  const finish = (word: string): unknown => (isOld ? word : { unified: word, raw: word });
  return {
    specificationVersion,
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    async doGenerate(asked: Prompted) {
      const calls = callsFor(asked);
      return calls.length > 0
        ? { content: calls, finishReason: finish('tool-calls'), usage, warnings: [] }
        : {
            content: [{ type: 'text', text: 'It is done.' }],
            finishReason: finish('stop'),
            usage,
            warnings: [],
          };
    },
    async doStream(asked: Prompted) {
      const calls = callsFor(asked);
      const words = Array.from({ length: 20 }, (_, index) => `word ${index} `);
      const parts = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        ...words.map((delta) => ({ type: 'text-delta', id: '1', delta })),
        { type: 'text-end', id: '1' },
        ...calls,
        { type: 'finish', finishReason: finish(calls.length > 0 ? 'tool-calls' : 'stop'), usage },
      ];
      const stream = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
}

/** The parts of the SDK that are used here; each version has types of its own. */
export interface BenchSdk {
  generateText(options: object): Promise<unknown>;
  streamText(options: object): { readonly textStream: AsyncIterable<string> };
  stepCountIs(count: number): unknown;
  jsonSchema(schema: object): unknown;
  tool(options: object): never;
}

export const subjectOf =
  (ai: BenchSdk, version: 'v2' | 'v3' | 'v4'): MakeSubject =>
  (cwd) => {
    const plain = {
      model: benchModel(version) as never,
      tools: {
        read: ai.tool({
          inputSchema: ai.jsonSchema({ type: 'object' }),
          execute: async () => 'text',
        }),
      },
    };
    const { model, tools } = cwd === undefined ? plain : withHooks({ ...plain, cwd });
    const stopWhen = ai.stepCountIs(3);
    return {
      run: (toolCalls) => ai.generateText({ model, tools, stopWhen, prompt: `${toolCalls}` }),
      async stream(onText) {
        const { textStream } = ai.streamText({ model, tools, stopWhen, prompt: '0' });
        for await (const _ of textStream) onText();
      },
    };
  };
