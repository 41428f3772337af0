import { messageOf } from '../../message-of.ts';
import { assertInstalled } from '../assert-installed.ts';
import type { Answer, Message, ResultMessage } from './types.ts';

/** The classes of LangChain's messages: frameworks and models test what they are given for them. */
export interface Core {
  readonly AIMessage: new (fields: object) => Answer;
  readonly AIMessageChunk: new (fields: object) => Answer;
  readonly HumanMessage: new (fields: object) => Message;
  readonly SystemMessage: new (fields: object) => Message;
  readonly ToolMessage: new (fields: object) => ResultMessage;
}

assertInstalled('hookmachine/langchain', '@langchain/core/messages', 'langchain @langchain/core');

let loading: Promise<Core> | undefined;

/** Loads LangChain's messages, once. */
export function loadCore(): Promise<Core> {
  loading ??= importCore();
  return loading;
}

async function importCore(): Promise<Core> {
  try {
    // @ts-ignore -- It need not be installed where this is built.
    return (await import('@langchain/core/messages')) as Core;
  } catch (cause) {
    throw new Error(
      `hookmachine/langchain cannot load the package @langchain/core (${messageOf(cause)}); install it: npm i langchain @langchain/core`,
      { cause },
    );
  }
}
