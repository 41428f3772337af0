import { messageOf } from '../../base/message-of.ts';
import { assertInstalled } from '../parts/assert-installed.ts';
import type { Answer, Message, ResultMessage, Runtime } from './types.ts';

/**
 * LangChain's message classes, because frameworks and models check what they are given for them, and the
 * current step.
 */
export interface Core {
  readonly AIMessage: new (fields: object) => Answer;
  readonly AIMessageChunk: new (fields: object) => Answer;
  readonly HumanMessage: new (fields: object) => Message;
  readonly SystemMessage: new (fields: object) => Message;
  readonly ToolMessage: new (fields: object) => ResultMessage;
  /** Returns what the current step of a graph was given; undefined outside of graphs. */
  readonly runtime: () => Runtime | undefined;
}

/** Where LangChain keeps the config of the current step. */
interface Singletons {
  readonly AsyncLocalStorageProviderSingleton: { getRunnableConfig(): Runtime | undefined };
}

assertInstalled('hookmachine/langchain', '@langchain/core/messages', 'langchain @langchain/core');

let loading: Promise<Core> | undefined;

/** Loads what we need from LangChain, once. */
export function loadCore(): Promise<Core> {
  loading ??= importCore();
  return loading;
}

async function importCore(): Promise<Core> {
  try {
    const [messages, singletons] = await Promise.all([
      // @ts-ignore -- It need not be installed where this is built.
      import('@langchain/core/messages') as Promise<Omit<Core, 'runtime'>>,
      // @ts-ignore -- The same.
      import('@langchain/core/singletons') as Promise<Singletons>,
    ]);
    const { AsyncLocalStorageProviderSingleton: storage } = singletons;
    return { ...messages, runtime: () => storage.getRunnableConfig() };
  } catch (cause) {
    throw new Error(
      `hookmachine/langchain cannot load the package @langchain/core (${messageOf(cause)}); install it: npm i langchain @langchain/core`,
      { cause },
    );
  }
}
