import type { AdapterOptions } from '../parts/options.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { hooksOf } from './hooks-of.ts';
import { callModel } from './model-call.ts';
import { runTool } from './run-tool.ts';
import type { ModelRequest, Runtime, ToolRequest, WantedCall } from './types.ts';

/** A middleware for LangChain's `createAgent` that puts the user's hooks around the agent. */
export interface HooksMiddleware extends AsyncDisposable {
  readonly name: string;
  wrapModelCall<Request extends ModelRequest, Answer>(
    request: Request,
    handler: (request: Request) => Answer | PromiseLike<Answer>,
  ): Promise<Answer>;
  wrapToolCall<Request extends ToolRequest, Result>(
    request: Request,
    handler: (request: Request) => Result | PromiseLike<Result>,
  ): Promise<Result>;
  /**
   * For `when` of the human-in-the-loop middleware: false for a call that nobody must be asked about, because
   * hooks denied it or answered in the user's place.
   */
  readonly mayRun: (asked: { readonly toolCall: WantedCall }) => boolean | Promise<boolean>;
  /** Ends the session: open calls are cancelled and SessionEnd hooks run. */
  end(reason?: Parameters<AgentHooks['end']>[0]): Promise<void>;
}

/**
 * Puts the user's hooks around a LangChain 1 agent. If neither `isTrustedFolder` nor `checkTrust` is given,
 * you have decided that the project's hooks may run. Make it the first middleware: any middleware before it
 * sees answers and results after the hooks, and changes them unseen.
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [hooksMiddleware({ cwd: process.cwd() })] });
 */
export function hooksMiddleware(options: AdapterOptions = {}): HooksMiddleware {
  const hooks = hooksOf(options);
  return {
    name: 'hookmachine',
    async wrapModelCall<Request extends ModelRequest, Answer>(
      request: Request,
      handler: (request: Request) => Answer | PromiseLike<Answer>,
    ) {
      const answer = await callModel(hooks, request, (changed) => handler(changed as Request));
      return answer as Answer;
    },
    async wrapToolCall<Request extends ToolRequest, Result>(
      request: Request,
      handler: (request: Request) => Result | PromiseLike<Result>,
    ) {
      const call = request.toolCall as WantedCall;
      const runtime = (request.runtime ?? {}) as Runtime;
      const result = await runTool(hooks, call, runtime, (args) =>
        handler(args === call.args ? request : { ...request, toolCall: { ...call, args } }),
      );
      return result as Result;
    },
    mayRun: ({ toolCall: { id = '', name, args } }) => hooks.isToBeAsked({ id, name, input: args }),
    end: (reason) => hooks.end(reason),
    [Symbol.asyncDispose]: () => hooks.end(),
  };
}
