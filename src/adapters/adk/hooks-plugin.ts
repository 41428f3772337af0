import type { HookEventFields } from '../../core/protocol/input.ts';
import { AgentHooks } from '../parts/agent-hooks.ts';
import { type AdapterOptions, refuseDurable } from '../parts/options.ts';
import { loadFramework } from './framework.ts';
import { aroundRequest } from './model.ts';
import { CallbackToolCall } from './tool-call.ts';
import { answerQuestion, knowQuestions } from './questions.ts';
import type {
  Context,
  GivenToolCallback,
  InvocationContext,
  LlmRequest,
  ToolAnswer,
  ToolCallback,
} from './types.ts';

const { BasePlugin } = await loadFramework();

/**
 * The user's hooks as a plugin of Google's ADK, around everything that a runner's agents do. It must be the
 * first plugin. If neither `isTrustedFolder` nor `checkTrust` is given, the host has decided for itself that
 * the project is trusted.
 *
 * @example
 * const plugins = [new HooksPlugin({ cwd: process.cwd() })];
 * const runner = new InMemoryRunner({ agent, appName, plugins });
 */
export class HooksPlugin extends BasePlugin implements AsyncDisposable {
  readonly #hooks: AgentHooks;
  readonly #sessionId: AdapterOptions['sessionId'];
  /** The run under way in each session. */
  readonly #runs = new WeakMap<object, { readonly id: string; readonly run: object }>();
  readonly #calls = new WeakMap<object, CallbackToolCall>();

  constructor(options: AdapterOptions = {}) {
    super('hookmachine');
    refuseDurable(options, 'The ADK adapter');
    this.#hooks = new AgentHooks(options);
    this.#sessionId = options.sessionId;
  }

  /** Called by ADK before a run. */
  async onUserMessageCallback({
    invocationContext,
  }: {
    readonly invocationContext: object;
  }): Promise<undefined> {
    const { agent } = invocationContext as InvocationContext;
    if (agent) knowQuestions(agent);
  }

  /** Called by ADK before a model is asked. */
  async beforeModelCallback({
    callbackContext,
    llmRequest,
  }: {
    readonly callbackContext: object;
    readonly llmRequest: object;
  }): Promise<undefined> {
    const context = (callbackContext as Context).invocationContext;
    aroundRequest(llmRequest as LlmRequest, {
      hooks: this.#hooks,
      context,
      within: {
        run: this.#runOf(context),
        part: context.branch ?? '',
        sessionId: this.#sessionOf(context),
      },
    });
  }

  /** Called by ADK before a tool runs. */
  async beforeToolCallback(given: GivenToolCallback): Promise<ToolAnswer> {
    if (!this.#hooks.seesAnything()) return undefined;
    const callback = given as ToolCallback;
    const { tool, toolArgs, toolContext } = callback;
    if ('agent' in tool)
      this.#hooks.notices.warnOnce(
        `ADK runs the agent behind the tool ${tool.name} without plugins, so hooks see only the tool call; make it a sub-agent`,
      );
    const { functionCallId: id = '' } = toolContext;
    if (!this.#hooks.judgesToolCall({ id, name: tool.name, input: toolArgs })) return undefined;
    await answerQuestion(this.#hooks, callback);
    const sessionId = this.#sessionOf(toolContext.invocationContext);
    const call = new CallbackToolCall(this.#hooks, callback, sessionId);
    const answer = await call.begin();
    if (answer === undefined) this.#calls.set(toolContext, call);
    return answer;
  }

  /** Called by ADK after a tool has run. */
  async afterToolCallback({
    toolContext,
    result,
  }: GivenToolCallback & { readonly result: unknown }): Promise<ToolAnswer> {
    return this.#take(toolContext)?.succeed(result);
  }

  /** Called by ADK when a tool throws. */
  async onToolErrorCallback({
    toolContext,
    error,
  }: GivenToolCallback & { readonly error: unknown }): Promise<ToolAnswer> {
    return this.#take(toolContext)?.fail(error);
  }

  /** Ends the session: SessionEnd hooks run, and calls that are still open are cancelled. */
  async end(reason?: HookEventFields['SessionEnd']['reason']): Promise<void> {
    await this.#hooks.end(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  #take(context: object): CallbackToolCall | undefined {
    const call = this.#calls.get(context);
    this.#calls.delete(context);
    return call;
  }

  #sessionOf({ session }: InvocationContext): string {
    const given = this.#sessionId;
    return typeof given === 'function' ? given() : (given ?? session.id);
  }

  #runOf({ session, invocationId: id }: InvocationContext): object {
    const known = this.#runs.get(session);
    if (known?.id === id) return known.run;
    const run = {};
    this.#runs.set(session, { id, run });
    return run;
  }
}
