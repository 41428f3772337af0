import { randomUUID } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import type { ChatEvent } from '../../agent/loop/chat-events.ts';
import type { ChatLoop } from '../../agent/loop/chat-loop.ts';
import { ModelError } from '../../agent/models/model-error.ts';
import type { HookDefinition } from '../../core/definitions/hook-definition.ts';
import type { Dialect } from '../../core/dialects/dialect.ts';
import type { HookEventName } from '../../core/points/hook-points.ts';
import type { Model } from '../../core/translate/model.ts';
import { hookmachine } from '../../hosts/hookmachine/index.ts';
import { type AgentContext, type InterceptionPoint, points, type Verdict } from './contract.ts';
import { type Emitted, Emitter, type EmitterOptions } from './emitter.ts';
import { messagesOf, responseOf, withMessages, withResponse } from './model-contexts.ts';
import { valueOf, withValue } from './tool-contexts.ts';

/** What a host says of itself besides how it mediates. */
export interface AgentHooksOptions extends EmitterOptions {
  /** Identifies the agent's definition; the same in all of its sessions. */
  readonly agent: string;
  /** Default: a random UUID. */
  readonly session?: string;
  /** The names of the agent's tools. */
  readonly tools: readonly string[];
}

/** How a turn ended. */
export interface AgentHooksTurn {
  readonly outcome: 'completed' | 'blocked' | 'error';
  /** The answer; null if there is none, or if it must not be returned. */
  readonly output: string | null;
  /** Why it was blocked, or what went wrong. */
  readonly reason?: string | undefined;
}

/** The parts of an agent that interceptors of AGENT-HOOKS-0.1 control. */
export interface AgentHooks {
  /** For `dialects` of the config: the points around tools. */
  readonly dialect: Dialect;
  /** Puts the points around a model's calls. */
  readonly model: (model: Model) => Model;
  /**
   * Runs a turn, and returns its answer once it may be returned. Nothing is shown before.
   */
  readonly run: (chat: ChatLoop, input: string) => Promise<AgentHooksTurn>;
  /** Ends the session; nothing can be run after that. */
  readonly end: (reason?: 'completed' | 'error' | 'cancelled') => Promise<void>;
}

const timeout = 600_000;

/**
 * Makes an agent a host of AGENT-HOOKS-0.1: interceptors are asked at its eight points, through the machines that
 * run all other hooks.
 *
 * @throws an error for an identity provider whose name is reserved
 * @example
 * const hooks = agentHooks({ agent: 'support', tools: [...tools.keys()], interceptors: [redactor] });
 * const config = createConfig({ cwd, dialects: [...defaultDialects, hooks.dialect] });
 * const chat = new ChatLoop({ config, model: hooks.model(model), tools });
 * const { outcome, output } = await hooks.run(chat, 'Hello');
 */
export function agentHooks(options: AgentHooksOptions): AgentHooks {
  const session = new Session(options);
  return {
    dialect: dialectOf(session),
    model: (model) => session.around(model),
    run: (chat, input) => session.run(chat, input),
    end: (reason = 'completed') => session.end(reason),
  };
}

/** One session: its emissions are numbered together. */
class Session {
  readonly #options: AgentHooksOptions;
  readonly #emitter: Emitter;
  readonly #id: string;
  #sequence = 0;
  #state: 'new' | 'open' | 'ended' = 'new';
  /** What blocked the last model call. */
  #blocked: Verdict | undefined;

  constructor(options: AgentHooksOptions) {
    this.#options = options;
    this.#emitter = new Emitter(options);
    this.#id = options.session ?? randomUUID();
  }

  emit(point: InterceptionPoint, fields: Readonly<Record<string, unknown>>): Promise<Emitted> {
    const context: AgentContext = {
      spec: 'agent-hooks/0.1',
      interception_point: point,
      timestamp: new Date().toISOString(),
      sequence: this.#sequence++,
      agent: { id: this.#options.agent, framework: 'hookmachine' },
      session: { id: this.#id },
      ...fields,
      target: points[point].split('.').reduce<unknown>((value, key) => (value as typeof fields)[key], fields), // prettier-ignore
    };
    return this.#emitter.emit(context);
  }

  async run(chat: ChatLoop, content: string): Promise<AgentHooksTurn> {
    if (this.#state === 'new') {
      const begun = await this.emit('agent_startup', {
        agent_init: { tools_registered: [...this.#options.tools] },
      });
      this.#state = 'open';
      if (!begun.isPermitted) {
        await this.end('error');
        return refused(begun.verdict);
      }
    }
    if (this.#state === 'ended')
      return { outcome: 'blocked', output: null, reason: 'the session has ended' };
    const asked = await this.emit('input', { input: { content, role: 'user' } });
    if (!asked.isPermitted) return refused(asked.verdict);
    this.#blocked = undefined;
    const { content: prompt } = asked.context['input'] as { readonly content: unknown };
    const last = await lastEvent(chat, textOf(prompt));
    if (this.#blocked !== undefined) return refused(this.#blocked);
    if (last.type !== 'finalAnswer')
      return {
        outcome: last.type === 'error' ? 'error' : 'blocked',
        output: null,
        reason: reasonIn(last),
      };
    const said = await this.emit('output', { output: { content: last.text } });
    if (!said.isPermitted) return refused(said.verdict);
    const { content: output } = said.context['output'] as { readonly content: unknown };
    return { outcome: 'completed', output: textOf(output) };
  }

  async end(reason: 'completed' | 'error' | 'cancelled'): Promise<void> {
    if (this.#state === 'ended' || this.#state === 'new') return;
    this.#state = 'ended';
    await this.emit('agent_shutdown', { summary: { reason } });
  }

  around(model: Model): Model {
    const about = { model: { id: model.name } };
    return {
      ...model,
      name: model.name,
      generate: async (request, given) => {
        const before = await this.emit('pre_model_call', {
          ...about,
          messages: messagesOf(request),
        });
        if (!before.isPermitted) throw this.#block(before);
        // The whole answer is judged before any of it is shown.
        const { onText: _, ...quietly } = given;
        const response = await model.generate(withMessages(request, before.context['messages']), quietly); // prettier-ignore
        const after = await this.emit('post_model_call', {
          ...about,
          response: responseOf(response),
        });
        if (!after.isPermitted) throw this.#block(after);
        return withResponse(response, after.context['response']);
      },
    };
  }

  #block({ verdict }: Emitted): ModelError {
    this.#blocked = verdict;
    return new ModelError(reasonOf(verdict));
  }
}

const refused = (verdict: Verdict): AgentHooksTurn => ({
  outcome: 'blocked',
  output: null,
  reason: reasonOf(verdict),
});

async function lastEvent(chat: ChatLoop, prompt: string): Promise<ChatEvent> {
  let last: ChatEvent = { type: 'cancelled', reason: 'nothing happened' };
  for await (const event of chat.run(prompt)) last = event;
  return last;
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

const reasonOf = ({ reason, message }: Verdict): string =>
  [reason ?? 'denied', ...(message === undefined ? [] : [message])].join(': ');

const reasonIn = (event: ChatEvent): string =>
  'reason' in event ? (event.reason ?? '') : 'message' in event ? event.message : event.type;

/** Its answers are ours; its hooks stand in no settings. */
const { settings: _settings, ...ours } = hookmachine;

/** The points around tools, as hooks of a dialect of their own. */
function dialectOf(session: Session): Dialect {
  const before = async (event: Payload): Promise<object | undefined> => {
    const { isPermitted, verdict, context } = await session.emit('pre_tool_call', { tool_call: callOf(event) }); // prettier-ignore
    if (!isPermitted) return { decision: 'deny', reason: reasonOf(verdict) };
    const { args } = context['tool_call'] as { readonly args: object };
    return verdict.decision === 'transform'
      ? { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: args } }
      : undefined;
  };
  const after = async (event: Payload): Promise<object | undefined> => {
    const { tool_response: response, error } = event;
    const isError = error !== undefined || (isRecord(response) && response['error'] !== undefined);
    const value = response === undefined ? String(error) : valueOf(response);
    const tool_result = { value, is_error: isError };
    const { isPermitted, verdict, context } = await session.emit('post_tool_call', { tool_call: callOf(event), tool_result }); // prettier-ignore
    if (isPermitted && verdict.decision !== 'transform') return undefined;
    const result = context['tool_result'] as { readonly value: unknown };
    // A result that must not be used is as if the tool had failed.
    const now = withValue(response, isPermitted ? result.value : `Denied: ${reasonOf(verdict)}`);
    return { hookSpecificOutput: { hookEventName: 'AfterTool', tool_response: now } };
  };
  return {
    ...ours,
    name: 'agent-hooks',
    family: 'agent-hooks',
    guarded: [],
    mayBeIn: () => true,
    find: () => ({
      definitions: [hookAt('BeforeTool', before), hookAt('AfterTool', after)],
      problems: [],
      unasked: [],
    }),
    stdin: (_, payload, { toolCallId }) => ({ ...payload, tool_call_id: toolCallId }),
  };
}

interface Payload {
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly tool_call_id?: unknown;
  readonly error?: unknown;
}

const callOf = ({ tool_call_id: id, tool_name: name, tool_input: args }: Payload) => ({
  id: typeof id === 'string' ? id : randomUUID(),
  name,
  args,
});

const hookAt = (
  event: HookEventName,
  call: (event: Payload) => Promise<object | undefined>,
): HookDefinition => ({
  event,
  type: 'function',
  command: 'agent-hooks',
  name: 'agent-hooks',
  call,
  timeout,
  sequential: false,
  onFailure: 'block',
  source: 'system',
  place: '',
  env: {},
});
