import type { Fields } from '../ai-sdk/sdk.ts';

export interface Said {
  readonly text?: string;
  /** Awaited before the end of a streamed text. */
  readonly until?: Promise<void>;
  readonly calls?: readonly (readonly [id: string, name: string, input: Fields])[];
}

export interface Asked {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
}

/** A model object of specification v2 that keeps what it was asked. */
export function model(answers: readonly Said[] | ((asked: Asked) => Said)) {
  const asked: Asked[] = [];
  const answer = (options: Asked): Said => {
    asked.push(options);
    const said = typeof answers === 'function' ? answers(options) : answers[asked.length - 1];
    if (said === undefined) throw new Error('the model was asked too often');
    return said;
  };
  const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
  const endOf = ({ calls = [] }: Said): string => (calls.length > 0 ? 'tool-calls' : 'stop');
  const callsOf = ({ calls = [] }: Said) =>
    calls.map(([toolCallId, toolName, input]) => ({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: JSON.stringify(input),
    }));
  return {
    asked,
    specificationVersion: 'v2' as const,
    provider: 'some-provider',
    modelId: 'some-model',
    supportedUrls: {},
    doGenerate: async (options: Asked) => {
      const said = answer(options);
      return {
        content: [
          ...(said.text === undefined ? [] : [{ type: 'text', text: said.text }]),
          ...callsOf(said),
        ],
        finishReason: endOf(said),
        usage,
        warnings: [],
      };
    },
    doStream: async (options: Asked) => {
      const said = answer(options);
      const words = said.text?.match(/\S+\s*/g) ?? [];
      const parts = [
        { type: 'stream-start', warnings: [] },
        { type: 'response-metadata', id: 'r-1', modelId: 'some-model', timestamp: new Date(0) },
        ...(words.length > 0 ? [{ type: 'text-start', id: '1' }] : []),
        ...words.map((delta) => ({ type: 'text-delta', id: '1', delta })),
        ...(words.length > 0 ? [{ type: 'text-end', id: '1' }] : []),
        ...callsOf(said).flatMap((call) => [
          { type: 'tool-input-start', id: call.toolCallId, toolName: call.toolName },
          { type: 'tool-input-delta', id: call.toolCallId, delta: call.input },
          { type: 'tool-input-end', id: call.toolCallId },
          call,
        ]),
        { type: 'finish', finishReason: endOf(said), usage },
      ];
      return {
        stream: new ReadableStream({
          async start(controller) {
            for (const part of parts) {
              if (part.type === 'text-end') await said.until;
              controller.enqueue(part);
            }
            controller.close();
          },
        }),
      };
    },
  };
}
