import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { type AgentMiddleware, createAgent, createMiddleware, tool } from 'langchain';
import { z } from 'zod';
import { hooksMiddleware } from '../../../../src/entries/langchain.ts';
import { measure, type Subject } from '../../bench/measure.ts';

/** A model that makes as many tool calls as it is told to, and then says something. */
class BenchChat extends BaseChatModel {
  override _llmType(): string {
    return 'bench';
  }

  override bindTools() {
    return this.withConfig({});
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const last = messages.at(-1);
    const wanted = last?.type === 'tool' ? 0 : Number(last?.text);
    const message = new AIMessage({
      content: wanted > 0 ? '' : 'It is done.',
      tool_calls: Array.from({ length: wanted }, (_, index) => ({
        id: `call-${index}`,
        name: 'read',
        args: { path: 'a.txt' },
        type: 'tool_call' as const,
      })),
    });
    return { generations: [{ text: '', message }] };
  }

  override async *_streamResponseChunks(
    _: BaseMessage[],
    __: object,
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (let word = 0; word < 20; word++) {
      const text = `word ${word} `;
      const chunk = new ChatGenerationChunk({
        text,
        message: new AIMessageChunk({ content: text }),
      });
      yield chunk;
      await manager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const say = (text: string) => ({ messages: [new HumanMessage(text)] });

function subject(middleware: readonly AgentMiddleware[]): Subject {
  const read = tool(async () => 'text', {
    name: 'read',
    description: 'Reads a file',
    schema: z.object({ path: z.string() }),
  });
  const agent = createAgent({ model: new BenchChat({}), tools: [read], middleware });
  return {
    run: (toolCalls) => agent.invoke(say(`${toolCalls}`)),
    async stream(onText) {
      for await (const [message] of await agent.stream(say('0'), { streamMode: 'messages' }))
        if (message.text !== '') onText();
    },
  };
}

const empty = createMiddleware({
  name: 'empty',
  wrapModelCall: (request, handler) => handler(request),
  wrapToolCall: (request, handler) => handler(request),
});

await measure(
  (cwd) => subject(cwd === undefined ? [] : [hooksMiddleware({ cwd })]),
  () => subject([empty]),
);
