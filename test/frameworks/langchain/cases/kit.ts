import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
} from '@langchain/core/messages';
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
} from '@langchain/core/language_models/chat_models';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { type AgentMiddleware, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';
import { group, project } from '../../../support/project.ts';

/** What a model answers to one request. */
export interface Scripted {
  readonly text?: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  }[];
  readonly error?: Error;
}

/** What a model was asked. */
export interface Asked {
  readonly messages: readonly BaseMessage[];
  readonly options: Readonly<Record<string, unknown>>;
}

type Script = readonly Scripted[] | ((messages: readonly BaseMessage[]) => Scripted);

/**
 * A chat model that answers from a script, in pieces if somebody streams. It has private fields, as many
 * models have.
 */
export class ScriptedChat extends BaseChatModel {
  readonly #script: Script;
  readonly asked: Asked[];
  readonly temperature = 0.7;

  constructor(script: Script, asked: Asked[] = []) {
    super({});
    this.#script = script;
    this.asked = asked;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(tools: readonly unknown[], options: object = {}) {
    return this.withConfig({ ...options, tools } as Partial<BaseChatModelCallOptions>);
  }

  #next(messages: readonly BaseMessage[], options: object): Scripted {
    this.asked.push({ messages: [...messages], options: { ...options } });
    const next =
      typeof this.#script === 'function'
        ? this.#script(messages)
        : this.#script[this.asked.length - 1];
    if (next === undefined) throw new Error(`nothing is scripted for request ${this.asked.length}`);
    if (next.error) throw next.error;
    return next;
  }

  override async _generate(messages: BaseMessage[], options: object): Promise<ChatResult> {
    const { text = '', calls = [] } = this.#next(messages, options);
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map((call) => ({ ...call, type: 'tool_call' as const })),
    });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: object,
    manager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text = '', calls = [] } = this.#next(messages, options);
    const pieces = [
      ...(text.match(/.{1,6}/gs) ?? []).map((content) => new AIMessageChunk({ content })),
      ...calls.flatMap(({ id, name, args }, index) => {
        const json = JSON.stringify(args);
        const half = Math.ceil(json.length / 2);
        return [
          { index, id, name, args: json.slice(0, half) },
          { index, args: json.slice(half) },
        ].map(
          (piece) =>
            new AIMessageChunk({
              content: '',
              tool_call_chunks: [{ ...piece, type: 'tool_call_chunk' }],
            }),
        );
      }),
    ];
    if (pieces.length === 0) pieces.push(new AIMessageChunk({ content: '' }));
    for (const message of pieces) {
      const said = typeof message.content === 'string' ? message.content : '';
      const chunk = new ChatGenerationChunk({ text: said, message });
      yield chunk;
      await manager?.handleLLMNewToken(said, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** A tool that records what it was run with. */
export function writeTool(
  ran: unknown[],
  result: (args: { path: string; text: string }) => unknown = () => 'written',
) {
  return tool(
    (args) => {
      ran.push(args);
      return result(args);
    },
    {
      name: 'write',
      description: 'Writes a file',
      schema: z.object({ path: z.string(), text: z.string() }),
    },
  );
}

export const write = (path: string, text = 'hello', id = 'call_1') => ({
  id,
  name: 'write',
  args: { path, text },
});

export const say = (text: string) => ({ messages: [new HumanMessage(text)] });

/** A project whose hooks are these shell scripts, by event; each script gets its input in `$input`. */
export function projectWith(
  scripts: Readonly<Record<string, string>>,
  matchers: Readonly<Record<string, string>> = {},
): string {
  const hooks = Object.fromEntries(
    Object.keys(scripts).map((event) => [event, [group(`sh ./${event}.sh`, {}, matchers[event])]]),
  );
  const files = Object.entries(scripts).map(([event, script]) => [
    `${event}.sh`,
    `input=$(cat)\nprintf '%s\\n' "$input" >> ${event}.log\n${script}\n`,
  ]);
  return project({ '.hookmachine/settings.json': { hooks }, ...Object.fromEntries(files) });
}

/** How an agent is run. */
export const ways = ['invoke', 'stream'] as const;

interface Runnable {
  invoke(input: never, config?: never): Promise<unknown>;
  stream(input: never, config?: never): Promise<AsyncIterable<unknown>>;
}

export interface Run {
  /** Everything that was shown to a watcher, as JSON. */
  readonly shown: string;
  /** The text of the pieces in which the model's answers came, one list item each. */
  readonly pieces: readonly string[];
  readonly messages: readonly BaseMessage[];
  readonly last: string;
  readonly state: Readonly<Record<string, unknown>>;
}

/** Runs an agent to its end. */
export async function run(
  agent: unknown,
  how: (typeof ways)[number],
  input: object,
  config: object = {},
): Promise<Run> {
  const runnable = agent as Runnable;
  const shown: unknown[] = [];
  const pieces: string[] = [];
  let state: Readonly<Record<string, unknown>> = {};
  if (how === 'invoke')
    state = (await runnable.invoke(input as never, config as never)) as typeof state;
  else {
    const modes = { ...config, streamMode: ['messages', 'values'] };
    for await (const part of await runnable.stream(input as never, modes as never)) {
      const [mode, value] = part as ['messages', [BaseMessage, object]] | ['values', typeof state];
      if (mode === 'values') state = value;
      else {
        shown.push(value[0]);
        if (value[0].type === 'ai') pieces.push(value[0].text);
      }
    }
  }
  shown.push(state);
  const messages = (state['messages'] ?? []) as readonly BaseMessage[];
  return {
    shown: JSON.stringify(shown),
    pieces,
    messages,
    last: messages.at(-1)?.text ?? '',
    state,
  };
}

/** The input of a hook, each time it ran. */
export const toldTo = (
  folder: string,
  event: string,
): readonly Readonly<Record<string, never>>[] => {
  const file = join(folder, `${event}.log`);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as never);
};

/** A hook that prints this answer. */
export const prints = (answer: object): string => `echo '${JSON.stringify(answer)}'`;

/** The human-in-the-loop middleware; its own types do not hold under `exactOptionalPropertyTypes`. */
export const human = (interruptOn: object): AgentMiddleware =>
  humanInTheLoopMiddleware({ interruptOn } as never) as unknown as AgentMiddleware;
