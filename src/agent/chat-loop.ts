import { randomUUID } from 'node:crypto';
import type {
  AgentTurnOutcome,
  AgentTurnPorts,
  ModelStep,
  ToolStep,
} from '../../machines/agent-turn.ts';
import type { HookSystemConfig } from '../hooks/config.ts';
import { messageOf } from '../hooks/message-of.ts';
import type { Model } from '../models/model.ts';
import type { ToolResult } from '../protocol/tool-result.ts';
import type { GenAIConfig, GenAIContent, GenAIRequest } from '../translate/genai-types.ts';
import { withSystemMessage } from '../translate/system-message.ts';
import { hookDecision, type ChatEvent } from './chat-events.ts';
import {
  modelMessage,
  textOf,
  toolCallsOf,
  toolMessage,
  userMessage,
  withCallIds,
} from './chat-history.ts';
import { EventQueue } from './event-queue.ts';
import { runModelCall } from './model-call.ts';
import { readyHookSystem } from './ready-hook-system.ts';
import type { ToolCallRequest } from './tool-call.ts';
import { refusalOf } from './tool-choice.ts';
import { declareTools, type FunctionDeclaration } from './tool-declarations.ts';
import { ToolScheduler, type CompletedToolCall } from './tool-scheduler.ts';
import type { Tool } from './tool.ts';

export interface ChatLoopOptions {
  readonly config: HookSystemConfig;
  readonly model: Model;
  readonly tools?: ReadonlyMap<string, Tool>;
  readonly systemInstruction?: string;
  /** Further settings of every request, such as `temperature`. */
  readonly generationConfig?: GenAIConfig;
  /** How many model calls a turn may take; default 50. */
  readonly maxSteps?: number;
  /** How many tool calls may run at once; default: the number of cores. */
  readonly toolLimit?: number;
  /**
   * `held`, the default: while AfterModel hooks are configured, text is shown only once they have
   * spoken, so that a redactor does not leak. `live` shows text as it streams; hooks then change
   * what is kept, not what was shown (HOOK-173).
   */
  readonly display?: 'held' | 'live';
  /** An earlier conversation to go on with. */
  readonly history?: readonly GenAIContent[];
}

const defaultMaxSteps = 50;

/**
 * An agent session: prompt in, events out. Each turn is an `agentTurn` machine, which has a
 * `modelCall` machine run for every model call and a `toolCall` machine for every tool call.
 *
 * @example
 * const chat = new ChatLoop({ config, model, tools: builtInTools() });
 * for await (const event of chat.run('Tidy up')) if (event.type === 'text') show(event.text);
 */
export class ChatLoop {
  readonly #options: ChatLoopOptions;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #declarations: readonly FunctionDeclaration[];
  readonly #history: GenAIContent[];
  /** What AfterModel hooks have for the model's next request; it never enters the history. */
  #forNextRequest: string[] = [];
  #abort: AbortController | undefined;

  constructor(options: ChatLoopOptions) {
    this.#options = options;
    this.#tools = options.tools ?? new Map();
    this.#declarations = declareTools(this.#tools);
    this.#history = [...(options.history ?? [])];
  }

  /** The conversation as the model will be told of it: responses as hooks left them, without what hooks added to requests (G-11). */
  get history(): readonly GenAIContent[] {
    return this.#history;
  }

  /**
   * One turn. It runs to its end whether or not the events are read in time; leaving the iteration
   * early cancels it. Never rejects for what a model, a tool or a hook does.
   *
   * @throws {Error} while another turn runs
   */
  run(prompt: string, { signal }: { signal?: AbortSignal } = {}): AsyncIterable<ChatEvent> {
    if (this.#abort) throw new Error('A turn runs already: read its events to their end first.');
    const abort = (this.#abort = new AbortController());
    const events = new EventQueue<ChatEvent>(() => abort.abort('nobody reads the turn any more'));
    const forward = (): void => abort.abort(signal?.reason);
    if (signal?.aborted) forward();
    signal?.addEventListener('abort', forward, { once: true });
    void this.#turn(prompt, events, abort).finally(() => {
      signal?.removeEventListener('abort', forward);
      this.#abort = undefined;
      events.end();
    });
    return events;
  }

  /** Cancels the running turn: hooks, tools and the model call are ended, and the events end with `cancelled`. */
  cancel(reason = 'cancelled'): void {
    this.#abort?.abort(reason);
  }

  async #turn(
    prompt: string,
    events: EventQueue<ChatEvent>,
    abort: AbortController,
  ): Promise<void> {
    let answer = '';
    let request: GenAIRequest | undefined;
    this.#history.push(userMessage(prompt));
    const ports: AgentTurnPorts = {
      callModel: async () => {
        const called = await this.#callModel(events, abort.signal);
        ({ request, answer } = called);
        return called.step;
      },
      runTools: (calls) =>
        this.#runTools(calls as readonly ToolCallRequest[], request!, events, abort.signal),
      cancel: (reason) => abort.abort(reason),
    };
    const { inspect } = this.#options.config;
    const maxSteps = this.#options.maxSteps ?? defaultMaxSteps;
    try {
      const [{ agentTurn }, { runMachine }] = await Promise.all([
        import('../hooks/actors.ts'),
        import('../hooks/run-machine.ts'),
      ]);
      const options = { signal: abort.signal, inspect };
      events.push(lastEvent(await runMachine(agentTurn, { ports, maxSteps }, options), answer));
    } catch (error) {
      events.push({ type: 'error', message: messageOf(error) });
    }
  }

  async #callModel(
    events: EventQueue<ChatEvent>,
    signal: AbortSignal,
  ): Promise<{ step: ModelStep; request: GenAIRequest; answer: string }> {
    const { config, model } = this.#options;
    const system = await readyHookSystem(config);
    const held = this.#options.display !== 'live' && system?.hasHooksFor('AfterModel') === true;
    let streamed = false;
    const onText = (text: string): void => {
      streamed = true;
      if (!held && !signal.aborted) events.push({ type: 'text', text });
    };
    const call = await runModelCall(
      config,
      { id: randomUUID(), request: this.#nextRequest() },
      (request, callSignal) => model.generate(request, { signal: callSignal, onText }),
      signal,
    );
    events.push(
      ...hookDecision('BeforeToolSelection', call.selection),
      ...hookDecision('BeforeModel', call.before),
      ...hookDecision('AfterModel', call.after),
    );
    const { request, response } = call;
    if (call.systemMessage !== undefined) this.#forNextRequest.push(call.systemMessage);
    if (call.outcome.status === 'failed')
      return { step: { status: 'failed', error: call.error }, request, answer: '' };
    if (call.outcome.status === 'cancelled')
      return { step: { status: 'cancelled' }, request, answer: '' };
    if (call.outcome.status === 'blocked' && call.blockedReason !== undefined)
      events.push({ type: 'modelBlocked', reason: call.blockedReason });
    const answer = response && !call.suppressOutput ? textOf(response) : '';
    const wasShown = streamed && !held;
    if (answer !== '' && !wasShown) events.push({ type: 'text', text: answer });
    const said = response && modelMessage(response);
    const message = said && withCallIds(said, randomUUID);
    if (message) this.#history.push(message);
    const calls = message && !call.stop ? toolCallsOf(message) : [];
    return {
      step: {
        status: 'answered',
        calls,
        ...(call.stop && { stop: call.stop }),
      },
      request,
      answer,
    };
  }

  /** The conversation so far as a request; hooks may change it, and their changes stay in it. */
  #nextRequest(): GenAIRequest {
    const { model, systemInstruction, generationConfig } = this.#options;
    const request = {
      model: model.name,
      contents: [...this.#history],
      config: {
        ...generationConfig,
        ...(systemInstruction !== undefined && { systemInstruction }),
        ...(this.#declarations.length > 0 && {
          tools: [{ functionDeclarations: this.#declarations }],
        }),
      },
    };
    const told = this.#forNextRequest;
    this.#forNextRequest = [];
    return told.reduce<GenAIRequest>(withSystemMessage, request);
  }

  async #runTools(
    requests: readonly ToolCallRequest[],
    modelRequest: GenAIRequest,
    events: EventQueue<ChatEvent>,
    signal: AbortSignal,
  ): Promise<ToolStep> {
    for (const { id, name, input } of requests) events.push({ type: 'toolCall', id, name, input });
    const refused = new Map<string, ToolResult>();
    for (const { id, name } of requests) {
      const refusal = refusalOf(name, modelRequest);
      if (refusal) refused.set(id, refusal);
    }
    const { config, toolLimit } = this.#options;
    const scheduler = new ToolScheduler({
      config,
      tools: this.#tools,
      ...(toolLimit !== undefined && { limit: toolLimit }),
      onCompleted: (call) => events.push(...toolEvents(call)),
    });
    const { calls, stop } = await scheduler.schedule(
      requests.filter(({ id }) => !refused.has(id)),
      { signal },
    );
    const ended = new Map(calls.map(({ request, toolResult }) => [request.id, toolResult]));
    for (const request of requests) {
      const refusal = refused.get(request.id);
      if (refusal) events.push(toolResultEvent(request, refusal, 'refused'));
    }
    this.#history.push(
      toolMessage(
        requests.map((request) => ({
          request,
          toolResult: refused.get(request.id) ?? ended.get(request.id)!,
        })),
      ),
    );
    return stop ? { stop } : {};
  }
}

function toolEvents({
  request,
  outcome,
  toolResult,
  before,
  after,
}: CompletedToolCall): ChatEvent[] {
  return [
    ...hookDecision('BeforeTool', before, request.id),
    ...hookDecision('AfterTool', after, request.id),
    toolResultEvent(request, toolResult, outcome.status),
  ];
}

const toolResultEvent = (
  { id, name }: ToolCallRequest,
  result: ToolResult,
  status: Extract<ChatEvent, { type: 'toolResult' }>['status'],
): ChatEvent => ({
  type: 'toolResult',
  id,
  name,
  status,
  display: result.suppressDisplay ? null : result.returnDisplay,
  llmContent: result.llmContent,
  ...(result.error && { error: result.error.message }),
});

function lastEvent(outcome: AgentTurnOutcome, answer: string): ChatEvent {
  switch (outcome.status) {
    case 'finished':
      return { type: 'finalAnswer', text: answer, steps: outcome.steps };
    case 'stopped':
      return { type: 'stop', by: outcome.by, reason: outcome.reason };
    case 'failed':
      return { type: 'error', message: messageOf(outcome.error) };
    case 'cancelled':
      return { type: 'cancelled', reason: outcome.reason };
  }
}
