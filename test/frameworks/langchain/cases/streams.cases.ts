import {
  BaseChatModel,
  type BaseChatModelCallOptions,
} from '@langchain/core/language_models/chat_models';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { createAgent, createMiddleware } from 'langchain';
import { describe, expect, test, vi } from 'vitest';
import { hooksMiddleware, withHooks } from '../../../../src/entries/langchain.ts';
import type { AdapterOptions } from '../../../../src/adapters/parts/options.ts';
import { gate } from '../../../support/gate.ts';
import { projectWithHooks } from '../../../support/project.ts';
import { editing, holdBack, redacting, secret } from '../../../support/text-hooks.ts';
import { run, say, writeTool } from './kit.ts';

/** A chunk of an answer: a text, or the fields of a message. */
type Delta = string | object;

interface Streamed {
  readonly deltas: readonly Delta[];
  /** Awaited before the last of them. */
  readonly until?: Promise<void>;
  /** Breaks the answer off. */
  readonly error?: Error;
}

/** A chat model that streams the chunks of a script. */
class StreamingChat extends BaseChatModel {
  readonly #script: Streamed[];
  readonly signals: (AbortSignal | undefined)[] = [];

  constructor(script: readonly Streamed[]) {
    super({});
    this.#script = [...script];
  }

  override _llmType(): string {
    return 'streaming';
  }

  override bindTools(tools: readonly unknown[], options: object = {}) {
    return this.withConfig({ ...options, tools } as Partial<BaseChatModelCallOptions>);
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']) {
    let whole: ChatGenerationChunk | undefined;
    for await (const chunk of this._streamResponseChunks(messages, options))
      whole = whole?.concat(chunk) ?? chunk;
    const { text, message } = whole!;
    const { content, tool_calls } = message as AIMessageChunk;
    const plain = new AIMessage({ content: content as string, ...(tool_calls && { tool_calls }) });
    return { generations: [{ text, message: plain }] } satisfies ChatResult;
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    { signal }: this['ParsedCallOptions'],
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { deltas, until, error } = this.#script.shift()!;
    this.signals.push(signal);
    for (const [place, delta] of deltas.entries()) {
      if (place === deltas.length - 1) await until;
      const fields = typeof delta === 'string' ? { content: delta } : delta;
      const message = new AIMessageChunk({
        response_metadata: { model_provider: 'us' },
        ...fields,
      });
      const chunk = new ChatGenerationChunk({ text: message.text, message });
      yield chunk;
      await manager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, {
        chunk,
      });
    }
    if (error) throw error;
  }
}

const callOf = (path: string) => ({
  content: '',
  tool_call_chunks: [
    {
      type: 'tool_call_chunk',
      index: 0,
      id: 'call_1',
      name: 'write',
      args: JSON.stringify({ path, text: 'hello' }),
    },
  ],
});

/** The part of an agent that a graph has too. */
interface Watched {
  streamEvents(input: object, options: object): AsyncIterable<unknown>;
}

interface Made {
  readonly hooks?: object;
  readonly options?: AdapterOptions;
}

const kinds = {
  'an agent': (model: StreamingChat, ran: unknown[], options: AdapterOptions) =>
    createAgent({ model, tools: [writeTool(ran)], middleware: [hooksMiddleware(options)] }),
  'a graph': (model: StreamingChat, ran: unknown[], options: AdapterOptions) => {
    const guarded = withHooks({ ...options, model, tools: [writeTool(ran)] });
    const bound = guarded.model.bindTools([...guarded.tools]);
    return new StateGraph(MessagesAnnotation)
      .addNode('agent', async ({ messages }) => ({ messages: [await bound.invoke(messages)] }))
      .addNode('tools', new ToolNode([...guarded.tools]))
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', ({ messages }) => {
        const last = messages.at(-1);
        return AIMessage.isInstance(last) && last.tool_calls?.length ? 'tools' : END;
      })
      .addEdge('tools', 'agent')
      .compile();
  },
};

describe.each(['an agent', 'a graph'] as const)(
  'text on its way through streaming hooks of LangChain, in %s',
  (kind) => {
    /** Makes an agent or a graph in a project with such a hook. */
    function made(
      { files }: ReturnType<typeof editing>,
      script: readonly Streamed[],
      { hooks = {}, options = {} }: Made = {},
    ) {
      const said = { warnings: [] as string[], stops: [] as string[], blocked: [] as object[] };
      const ran: unknown[] = [];
      const model = new StreamingChat(script);
      const agent = kinds[kind](model, ran, {
        cwd: projectWithHooks(hooks, files),
        onWarning: (line) => void said.warnings.push(line),
        onStop: (reason) => void said.stops.push(reason),
        onBlocked: (blocked) => void said.blocked.push(blocked),
        ...options,
      });
      return { agent, model, ran, ...said };
    }

    test('a streaming hook hides a secret wherever it is cut, and keeps what is beside it', async () => {
      const text = `The key is ${secret}.`;
      const cut: Delta[][] = [...text].map((_, at) => [text.slice(0, at), '', text.slice(at)]);
      const blocks = [...text].map((letter) => ({
        content: [{ type: 'text', text: letter, index: 1 }],
      }));
      const thinking = {
        content: [{ type: 'thinking', thinking: 'Hm.', index: 0 }],
      };
      const usage_metadata = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
      const end = { content: [], usage_metadata };
      const all: Delta[][] = [...cut, [...text], [thinking, ...blocks, end]];
      const { agent, ran } = made(redacting, [
        ...all.map((deltas) => ({ deltas })),
        { deltas: [text, callOf('a.txt')] },
        { deltas: ['Done.'] },
        { deltas: [text] },
        { deltas: [text.slice(0, 20), text.slice(20)] },
      ]);
      let last: BaseMessage | undefined;
      for (const deltas of all) {
        const { pieces, shown, messages } = await run(agent, 'stream', say('Go'));
        last = messages.at(-1);
        expect(last?.text, `cut as ${JSON.stringify(deltas)}`).toBe('The key is [key].');
        expect(pieces.join('')).toBe('The key is [key].');
        expect(shown).not.toContain('AKIA');
      }
      expect((last?.content as { type: string }[]).map(({ type }) => type)).toEqual([
        'thinking',
        'text',
      ]);
      expect(last).toMatchObject({
        usage_metadata,
        response_metadata: { model_provider: 'us' },
      });
      const { pieces, shown, messages } = await run(agent, 'stream', say('Go'));
      expect(ran).toEqual([{ path: 'a.txt', text: 'hello' }]);
      expect(messages.at(-3)).toMatchObject({
        content: 'The key is [key].',
        tool_calls: [{ id: 'call_1', name: 'write' }],
      });
      expect(pieces.join('')).toBe('The key is [key].Done.');
      expect(shown).not.toContain('AKIA');
      expect((await run(agent, 'invoke', say('Go'))).last).toBe('The key is [key].');
      const seen: unknown[] = [];
      for await (const event of (agent as Watched).streamEvents(say('Go'), { version: 'v2' }))
        seen.push(event);
      expect(JSON.stringify(seen)).toContain('[key]');
      expect(JSON.stringify(seen)).not.toContain('AKIA');
    });

    test('text is shown while the model still writes, except for what hooks may hold back', async () => {
      const { opened, open } = gate();
      const { agent } = made(redacting, [
        { deltas: [...'a'.repeat(holdBack), '!'], until: opened },
      ]);
      const pieces: string[] = [];
      for await (const [message] of await agent.stream(say('Go'), { streamMode: 'messages' })) {
        pieces.push(message.text);
        if (message.text !== '') open();
      }
      expect(pieces[0]).toBe('a');
      expect(pieces.join('')).toBe(`${'a'.repeat(holdBack)}!`);
    });

    test.each([
      ['a denial', `{ text: 'Well', decision: 'deny', reason: 'not that' }`],
      ['a stop', `{ text: 'Well', continue: false, stopReason: 'not that' }`],
    ])('text ends with %s in the middle of it', async (what, reply) => {
      const { agent, model, ran, ...said } = made(
        editing(`if (text?.includes('violence')) return ${reply};`),
        [
          {
            deltas: ['Then violence', callOf('a.txt'), ' and more.'],
            // A provider that never continues.
            until: new Promise(() => undefined),
          },
        ],
      );
      const { pieces, shown, last } = await run(agent, 'stream', say('Go'));
      expect(last).toBe('Well');
      expect(pieces.join('')).toBe('Well');
      expect(shown).not.toContain('violence');
      expect(model.signals[0]?.aborted).toBe(true);
      expect(ran).toEqual([]);
      expect(what === 'a stop' ? said.stops : said.blocked).toEqual([
        what === 'a stop' ? 'not that' : { reason: 'not that' },
      ]);
    });

    test('text continues without a hook that fails, and waits for a hook that wants all of it', async () => {
      const failing = made(editing(`if (text) throw new Error('it broke');`), [
        { deltas: ['One ', 'two.'] },
      ]);
      const { pieces } = await run(failing.agent, 'stream', say('Go'));
      expect(pieces.join('')).toBe('One two.');
      expect(failing.warnings.filter((line) => line.includes('it broke'))).toHaveLength(1);

      const waits = vi.fn();
      const waiting = made(redacting, [{ deltas: ['One ', secret] }, { deltas: ['Two.'] }], {
        hooks: { AfterModel: [{ hooks: [{ type: 'command', command: 'true' }] }] },
        options: { onTextWaits: waits },
      });
      const held = await run(waiting.agent, 'stream', say('Go'));
      expect(held.pieces).toEqual(['One [key]']);
      await run(waiting.agent, 'stream', say('Go'));
      expect(waits.mock.calls).toEqual([[['true']]]);
    });
  },
);

test('if another middleware asks again after an answer broke off, only the new answer counts', async () => {
  const again = createMiddleware({
    name: 'again',
    wrapModelCall: async (request, handler) => {
      try {
        return await handler(request);
      } catch {
        return handler(request);
      }
    },
  });
  const model = new StreamingChat([
    { deltas: ['It is a long way '], error: new Error('it broke off') },
    { deltas: [`It is ${secret.slice(0, 5)}`, `${secret.slice(5)}.`] },
  ]);
  const cwd = projectWithHooks({}, redacting.files);
  const agent = createAgent({ model, tools: [], middleware: [hooksMiddleware({ cwd }), again] });
  const { last, shown } = await run(agent, 'stream', say('Go'));
  expect(last).toBe('It is [key].');
  expect(shown).not.toContain('AKIA');
});
