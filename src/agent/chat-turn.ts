import { randomUUID } from 'node:crypto';
import type {
  AgentTurnOutcome,
  AgentTurnPorts,
  ModelStep,
  ToolStep,
} from '../../machines/agent-turn.ts';
import { messageOf } from '../hooks/message-of.ts';
import { errorResult, type ToolResult } from '../protocol/tool-result.ts';
import type { GenAIRequest } from '../translate/genai-types.ts';
import { withSystemMessage } from '../translate/system-message.ts';
import { hookDecision, toolEvents, toolResultEvent, type ChatEvent } from './chat-events.ts';
import {
  modelMessage,
  textOf,
  toolCallsOf,
  toolMessage,
  userMessage,
  withCallIds,
} from './chat-history.ts';
import type { ChatSession } from './chat-session.ts';
import { runModelCall, type EndedModelCall } from './model-call.ts';
import { hasHooks } from './plan-hooks.ts';
import { readyHookSystem } from './ready-hook-system.ts';
import type { ToolCallRequest } from './tool-call.ts';
import { refusalOf } from './tool-choice.ts';
import { ToolScheduler } from './tool-scheduler.ts';

const defaultMaxSteps = 50;

/** One turn of a session, for its `agentTurn` machine: it keeps the history and tells what happens. */
export class ChatTurn {
  readonly #session: ChatSession;
  readonly #abort: AbortController;
  readonly #tell: (...events: ChatEvent[]) => void;
  /** The request of the last model call, as it was sent. */
  #request: GenAIRequest | undefined;
  #answer = '';

  constructor(
    session: ChatSession,
    abort: AbortController,
    tell: (...events: ChatEvent[]) => void,
  ) {
    this.#session = session;
    this.#abort = abort;
    this.#tell = tell;
  }

  /** Runs the turn to its last event, which is given back and not told. Never rejects. */
  async run(prompt: string): Promise<ChatEvent> {
    const { history, options } = this.#session;
    const { inspect } = options.config;
    const { signal } = this.#abort;
    const ports: AgentTurnPorts = {
      callModel: () => this.#callModel(),
      runTools: (calls) => this.#runTools(calls as readonly ToolCallRequest[]),
      cancel: (reason) => this.#abort.abort(reason),
    };
    const input = { ports, maxSteps: options.maxSteps ?? defaultMaxSteps };
    history.push(userMessage(prompt));
    try {
      const [{ agentTurn }, { runMachine }] = await Promise.all([
        import('../hooks/actors.ts'),
        import('../hooks/run-machine.ts'),
      ]);
      return lastEvent(await runMachine(agentTurn, input, { signal, inspect }), this.#answer);
    } catch (error) {
      return { type: 'error', message: messageOf(error) };
    } finally {
      this.#answerOpenCalls();
    }
  }

  async #callModel(): Promise<ModelStep> {
    const { options, notes, history } = this.#session;
    const { config, model } = options;
    const { signal } = this.#abort;
    const system = await readyHookSystem(config);
    const isHeld = options.display !== 'live' && hasHooks(config, system, 'AfterModel');
    let isShown = false;
    const onText = (text: string): void => {
      if (isHeld || signal.aborted) return;
      isShown = true;
      this.#tell({ type: 'text', text });
    };
    const call = await runModelCall(
      config,
      { id: randomUUID(), request: this.#nextRequest() },
      async (request, callSignal) => {
        const response = await model.generate(request, { signal: callSignal, onText });
        notes.clear();
        return response;
      },
      { signal, onHooks: (event, result) => this.#tell(...hookDecision(event, result)) },
    );
    if (call.systemMessage !== undefined) notes.add(call.systemMessage);
    this.#request = call.request;
    if (call.outcome.status === 'failed') return { status: 'failed', error: call.error };
    if (call.outcome.status === 'cancelled') return { status: 'cancelled' };
    this.#show(call, isShown);
    const said = call.response && modelMessage(call.response);
    const message = said && withCallIds(said, randomUUID);
    if (message) history.push(message);
    return {
      status: 'answered',
      calls: message ? toolCallsOf(message) : [],
      ...(call.stop && { stop: call.stop }),
    };
  }

  #show(call: EndedModelCall, isShown: boolean): void {
    const { outcome, blockedReason, response, suppressOutput } = call;
    if (outcome.status === 'blocked' && blockedReason !== undefined)
      this.#tell({ type: 'modelBlocked', reason: blockedReason });
    this.#answer = response && !suppressOutput ? textOf(response) : '';
    if (this.#answer !== '' && !isShown) this.#tell({ type: 'text', text: this.#answer });
  }

  /** The conversation so far as a request; hooks may change it, and their changes stay in it. */
  #nextRequest(): GenAIRequest {
    const { options, declarations, history, notes } = this.#session;
    const { model, systemInstruction, generationConfig } = options;
    const request = {
      model: model.name,
      contents: [...history],
      config: {
        ...generationConfig,
        ...(systemInstruction !== undefined && { systemInstruction }),
        ...(declarations.length > 0 && { tools: [{ functionDeclarations: declarations }] }),
      },
    };
    return [...notes].reduce<GenAIRequest>(withSystemMessage, request);
  }

  async #runTools(requests: readonly ToolCallRequest[]): Promise<ToolStep> {
    const { options, tools, history } = this.#session;
    const { config, toolLimit } = options;
    // By request and not by id: a provider may give one id twice.
    const results = new Map<ToolCallRequest, ToolResult>();
    for (const request of requests) {
      const { id, name, input } = request;
      this.#tell({ type: 'toolCall', id, name, input });
      const refusal = refusalOf(name, this.#request!);
      if (refusal === undefined) continue;
      results.set(request, refusal);
      this.#tell(toolResultEvent(request, refusal, 'refused'));
    }
    const scheduler = new ToolScheduler({
      config,
      tools,
      ...(toolLimit !== undefined && { limit: toolLimit }),
      onCompleted: (call) => this.#tell(...toolEvents(call)),
    });
    const { calls, stop } = await scheduler.schedule(
      requests.filter((request) => !results.has(request)),
      { signal: this.#abort.signal },
    );
    for (const { request, toolResult } of calls) results.set(request, toolResult);
    history.push(
      toolMessage(requests.map((request) => ({ request, toolResult: results.get(request)! }))),
    );
    return stop ? { stop } : {};
  }

  /** A turn may end before the tools that the model wanted; providers refuse a history without their results. */
  #answerOpenCalls(): void {
    const { history } = this.#session;
    const last = history.at(-1);
    const calls = last?.role === 'model' ? toolCallsOf(last) : [];
    if (calls.length === 0) return;
    const toolResult = errorResult('The tool was not run: the turn had ended.', 'cancelled');
    history.push(toolMessage(calls.map((request) => ({ request, toolResult }))));
  }
}

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
