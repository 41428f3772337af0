import type { ChatEvent } from '../../src/agent/loop/chat-events.ts';
import { ChatLoop, type ChatLoopOptions } from '../../src/agent/loop/chat-loop.ts';
import type { Tool } from '../../src/agent/loop/tool.ts';
import type { CreateConfigOptions } from '../../src/hosts/system/create-config.ts';
import { startSession, type Session } from './session.ts';
import { someModel, type SeenModel, type Turn } from './some-model.ts';

export interface ChatOptions extends Partial<Omit<ChatLoopOptions, 'config' | 'model' | 'tools'>> {
  readonly hooks?: Parameters<typeof startSession>[0];
  readonly tools?: readonly Tool[];
  readonly config?: Partial<CreateConfigOptions>;
}

/** A chat, and what tests can check about it. */
export interface SeenChat extends Session {
  readonly chat: ChatLoop;
  readonly model: SeenModel;
  /** Runs a turn to its end. */
  readonly run: (prompt?: string) => Promise<ChatEvent[]>;
}

/** Starts a chat with a model that takes these turns. */
export async function startChat(
  turns: readonly Turn[],
  { hooks = {}, tools = [], config, ...options }: ChatOptions = {},
): Promise<SeenChat> {
  const session = await startSession(hooks, config);
  const model = someModel(...turns);
  const chat = new ChatLoop({
    config: session.config,
    model,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    ...options,
  });
  return { ...session, chat, model, run: (prompt = 'Hi') => all(chat.run(prompt)) };
}

/** All events of a turn. */
export async function all(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const seen: ChatEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** The event that a turn ended with. */
export const last = (events: readonly ChatEvent[]): ChatEvent | undefined => events.at(-1);

/** What the user was shown of the model's text. */
export const shown = (events: readonly ChatEvent[]): string =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');

/** The type of each event; for a hook decision, the name of its event. */
export const kinds = (events: readonly ChatEvent[]): string[] =>
  events.map((event) => (event.type === 'hookDecision' ? event.event : event.type));

/** Anything as one text, to search in. */
export const everything = (value: unknown): string => JSON.stringify(value);
