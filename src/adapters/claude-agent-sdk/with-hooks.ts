import { isRecord } from '../../base/json.ts';
import { fireEvent } from '../parts/fire-event.ts';
import { mayHaveHooks } from '../parts/looks-ahead.ts';
import { type AdapterOptions, configOf, isOwn } from '../parts/options.ts';
import { callbacksFor, type QueryState } from './callbacks.ts';
import { OpenCalls } from '../parts/open-calls.ts';
import { shownMessages } from './shown-messages.ts';
import type { CallbackMatcher, Message, QueryFunction } from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The `query` function with hooks around what its agent does. */
export type HookedQuery<Query extends QueryFunction> = Query & {
  /** Ends the sessions of all queries; their SessionEnd hooks run. */
  end(reason?: 'exit' | 'other'): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * Puts hooks around the agent of the Claude Agent SDK. Hooks that Claude Code finds in its own settings run
 * there and not here. If neither `isTrustedFolder` nor `checkTrust` is given, the host has decided for itself
 * that it trusts the project.
 *
 * @example
 * import { query as plain } from '@anthropic-ai/claude-agent-sdk';
 * const query = withHooks(plain, { cwd: process.cwd() });
 * for await (const message of query({ prompt: 'Tidy up' })) show(message);
 */
export function withHooks<Query extends QueryFunction>(
  query: Query,
  options: AdapterOptions = {},
): HookedQuery<Query> {
  const config = configOf(options, 'claude-code');
  const running = new Set<QueryState>();
  const hooked = (given: { readonly options?: Fields }): AsyncGenerator<unknown, void> => {
    const { resume, continue: continues } = given.options ?? {};
    const state: QueryState = {
      config,
      options,
      calls: new OpenCalls(config),
      rounds: 0,
      source: resume !== undefined || continues === true ? 'resume' : 'startup',
    };
    running.add(state);
    const params = { ...given, options: withCallbacks(given.options, callbacksFor(state)) };
    const finish = async (reason: EndReason): Promise<void> => {
      if (running.delete(state)) await endQuery(state, reason);
    };
    return shown(query(params as never), state, () => finish('other'));
  };
  const end = async (reason: EndReason = 'exit'): Promise<void> => {
    for (const state of running) {
      running.delete(state);
      await endQuery(state, reason);
    }
    if (isOwn(options)) config.getHookSystem()?.dispose();
  };
  return Object.assign(hooked, {
    end,
    [Symbol.asyncDispose]: () => end(),
  }) as unknown as HookedQuery<Query>;
}

type EndReason = 'exit' | 'other';

/** The user's own callbacks come first, ours after them. */
function withCallbacks(
  options: Fields = {},
  callbacks: Readonly<Record<string, CallbackMatcher>>,
): Fields {
  const given = isRecord(options['hooks']) ? options['hooks'] : {};
  const hooks: Record<string, unknown> = { ...given };
  for (const [event, matcher] of Object.entries(callbacks)) {
    const theirs = given[event];
    hooks[event] = [...(Array.isArray(theirs) ? (theirs as unknown[]) : []), matcher];
  }
  return { ...options, hooks };
}

/** Fires SessionEnd: the SDK's own callback never fires. */
async function endQuery({ calls, config, sessionId }: QueryState, reason: EndReason) {
  calls.endAll('the query ended');
  if (sessionId === undefined) return;
  await fireEvent(config, 'SessionEnd', { reason }, { sessionId, subject: reason });
}

/** The query with its own methods, and its messages as they are to be seen. */
function shown<Query extends AsyncGenerator<unknown, void>>(
  query: Query,
  state: QueryState,
  finish: () => Promise<void>,
): Query {
  const mayChange = (tool: string): boolean =>
    mayHaveHooks(state.config, 'BeforeTool', nameOf(state, tool));
  const messages = (async function* () {
    try {
      for await (const message of shownMessages(query, state.calls, mayChange))
        yield withStop(message as Message, state);
    } finally {
      await finish();
    }
  })();
  const close = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } finally {
      await finish();
    }
  };
  const own: Readonly<Record<PropertyKey, unknown>> = {
    next: () => messages.next(),
    return: async (value: void) => {
      void messages.return();
      return close(() => query.return(value));
    },
    throw: (error: unknown) => close(() => query.throw(error)),
    [Symbol.asyncIterator]: () => proxy,
  };
  const proxy: Query = new Proxy(query, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key];
      const value: unknown = Reflect.get(target, key, target);
      // Only the target itself has its private fields.
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return proxy;
}

const nameOf = ({ options }: QueryState, tool: string): string =>
  options.tools?.alias?.[tool] ?? tool;

/** Adds why a hook stopped the query, which the SDK does not say anywhere. */
function withStop(message: Message, { stopReason }: QueryState): Message {
  return message.type === 'result' && stopReason !== undefined && !message['result']
    ? { ...message, result: stopReason }
    : message;
}
