import { randomUUID } from 'node:crypto';
import type {
  AgentTurnInput,
  AgentTurnOutcome,
  AgentTurnPorts,
  ModelStep,
  ToolStep,
} from '../../machines/agent-turn.ts';
import type { HookSystem } from '../hooks/hook-system.ts';
import { messageOf } from '../hooks/message-of.ts';
import type { HookEventFields } from '../protocol/input.ts';
import type { DefaultHookOutput } from '../protocol/output-classes.ts';
import { errorResult, type ToolResult } from '../protocol/tool-result.ts';
import type { GenAIRequest } from '../translate/genai-types.ts';
import { withSystemMessage } from '../translate/system-message.ts';
import { callMachines } from './call-machines.ts';
import { hookDecision, toolEvents, toolResultEvent, type ChatEvent } from './chat-events.ts';
import {
  conversationOf,
  modelMessage,
  textOf,
  toolCallsOf,
  toolMessage,
  userMessage,
  withCallIds,
} from './chat-history.ts';
import type { ChatSession } from './chat-session.ts';
import { compressHistory } from './compress-history.ts';
import { runModelCall, type EndedModelCall } from './model-call.ts';
import { hasHooks, hookResult, planHooks, tellResult } from './plan-hooks.ts';
import { readyHookSystem } from './ready-hook-system.ts';
import { beginSession, fireSessionEvent, notice } from './session-events.ts';
import type { ToolCallRequest } from './tool-call.ts';
import { warnUnseen, type CallOrigin } from './run-call.ts';
import { refusalOf } from './tool-choice.ts';
import { ToolScheduler } from './tool-scheduler.ts';

const defaultMaxSteps = 50;
const defaultMaxRejections = 8;

/** How far a turn may go. */
type TurnLimits = Pick<AgentTurnInput, 'maxSteps' | 'maxRejections'>;

/** One turn of a session, for its `agentTurn` machine: it keeps the history and tells what happens. */
export class ChatTurn {
  readonly #session: ChatSession;
  readonly #abort: AbortController;
  readonly #tell: (...events: ChatEvent[]) => void;
  /** The request of the last model call, as it was sent. */
  #request: GenAIRequest | undefined;
  /** What is told to observers: the turn, and its last model call. */
  #origin: CallOrigin | undefined;
  /** What the user saw of the last response. */
  #answer = '';
  /** What the last response said. */
  #said = '';

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
    const { options } = this.#session;
    const { config } = options;
    const { inspect } = config;
    const { signal } = this.#abort;
    const limits = {
      maxSteps: options.maxSteps ?? defaultMaxSteps,
      maxRejections: options.maxRejections ?? defaultMaxRejections,
    };
    try {
      const { compressAt = Infinity } = options;
      if (this.#session.tokens >= compressAt)
        await compressHistory(this.#session, 'auto', this.#tell, signal);
      await beginSession(this.#session, this.#tell);
      const system = await readyHookSystem(options.config);
      const { agentTurn, runMachine } = await callMachines();
      const input = { ports: this.#ports(prompt, system), ...limits };
      this.#origin = inspect && { turn: randomUUID() };
      const origin = inspect && { sessionId: config.getSessionId(), ...this.#origin };
      const outcome = await runMachine(agentTurn, input, { signal, inspect, origin });
      return this.#lastEvent(outcome, limits);
    } catch (error) {
      return { type: 'error', message: messageOf(error) };
    } finally {
      this.#answerOpenCalls();
    }
  }

  #ports(prompt: string, system: HookSystem | undefined): AgentTurnPorts {
    const { history, options, contexts } = this.#session;
    const context = { invokedBy: options.invokedBy, messages: () => conversationOf(history) };
    const plan = <Event extends 'BeforeAgent' | 'AfterAgent'>(
      event: Event,
      fields: () => HookEventFields[Event],
    ) =>
      tellResult(planHooks(system, event, fields, undefined, context), (result) => {
        this.#tell(...hookDecision(event, result));
        this.#note(result.finalOutput);
      });
    return {
      planBefore: () => plan('BeforeAgent', () => ({ prompt })),
      acceptPrompt: (before) => {
        const added = hookResult(before)?.finalOutput?.getAdditionalContext();
        const parts = [prompt, ...contexts.splice(0), ...(added === undefined ? [] : [added])];
        history.push(userMessage(parts.join('\n\n')));
      },
      planAfter: (rejections) =>
        plan('AfterAgent', () => ({
          prompt,
          prompt_response: this.#said,
          stop_hook_active: rejections > 0,
        })),
      sendOn: (after) => {
        const { finalOutput, followUps = [] } = hookResult(after) ?? {};
        if (finalOutput?.isBlockingDecision()) {
          const reason = finalOutput.getBlockReason();
          this.#tell({ type: 'answerRejected', reason });
          history.push(userMessage(reason));
        }
        for (const text of followUps) {
          this.#tell({ type: 'followUp', text });
          history.push(userMessage(text));
        }
      },
      stopOf: (outcome) => ({ reason: hookResult(outcome)?.finalOutput?.getStopReason() ?? '' }),
      callModel: () => this.#callModel(),
      runTools: (calls) => this.#runTools(calls as readonly ToolCallRequest[]),
      cancel: (reason) => this.#abort.abort(reason),
    };
  }

  /** What a hook has for the model goes with its next request (C-54, C-61). */
  #note(output: DefaultHookOutput | undefined): void {
    if (output?.systemMessage) this.#session.notes.add(output.systemMessage);
  }

  async #callModel(): Promise<ModelStep> {
    const { options, notes, history } = this.#session;
    const { config, model } = options;
    const { signal } = this.#abort;
    const system = await readyHookSystem(config);
    const isHeld = options.display !== 'live' && hasHooks(system, 'AfterModel');
    let isShown = false;
    const onText = (text: string): void => {
      if (isHeld || signal.aborted) return;
      isShown = true;
      this.#tell({ type: 'text', text });
    };
    const id = randomUUID();
    this.#origin &&= { ...this.#origin, modelCall: id };
    const call = await runModelCall(
      config,
      { id, request: this.#nextRequest() },
      async (request, callSignal) => {
        const response = await model.generate(request, { signal: callSignal, onText });
        notes.clear();
        return response;
      },
      {
        signal,
        origin: this.#origin,
        onHooks: (event, result) => this.#tell(...hookDecision(event, result)),
      },
    );
    if (call.systemMessage !== undefined) notes.add(call.systemMessage);
    this.#request = call.request;
    this.#session.tokens = call.response?.usageMetadata?.totalTokenCount ?? this.#session.tokens;
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
    this.#said = response ? textOf(response) : '';
    this.#answer = suppressOutput ? '' : this.#said;
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
      await this.#tellRefused(request, refusal);
    }
    for (const request of requests) {
      if (results.has(request) || (await this.#isConfirmed(request))) continue;
      const refusal = errorResult(`The user did not let ${request.name} run.`, 'declined');
      results.set(request, refusal);
      await this.#tellRefused(request, refusal);
    }
    const scheduler = new ToolScheduler({
      config,
      tools,
      ...(toolLimit !== undefined && { limit: toolLimit }),
      invokedBy: options.invokedBy,
      onCompleted: (call) => this.#tell(...toolEvents(call)),
      origin: this.#origin,
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

  async #tellRefused(request: ToolCallRequest, refusal: ToolResult): Promise<void> {
    const { config } = this.#session.options;
    if (config.inspect) {
      try {
        const { showRefused } = await import('./refused-call.ts');
        await showRefused(config, request, refusal, this.#origin);
      } catch (error) {
        warnUnseen(config, error);
      }
    }
    this.#tell(toolResultEvent(request, refusal, 'refused'));
  }

  /** Asks the user, where the host wants it; hooks come after the approval (C-70). */
  async #isConfirmed(request: ToolCallRequest): Promise<boolean> {
    const { confirm } = this.#session.options;
    if (confirm === undefined || this.#abort.signal.aborted) return true;
    const type = 'ToolPermission';
    const fields = {
      notification_type: type,
      message: `The agent wants to run ${request.name}.`,
      details: { tool_name: request.name, tool_input: request.input },
    };
    await fireSessionEvent(this.#session, 'Notification', fields, type, this.#tell);
    return confirm(request);
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

  #lastEvent(outcome: AgentTurnOutcome, limits: TurnLimits): ChatEvent {
    switch (outcome.status) {
      case 'finished':
        if (outcome.overruled)
          this.#tell(
            notice(
              `AfterAgent hooks would send the agent on again, but may do so ${limits.maxRejections} times in at most ${limits.maxSteps} model calls; the answer stands.`,
            ),
          );
        return { type: 'finalAnswer', text: this.#answer, steps: outcome.steps };
      case 'blocked': {
        const reason = hookResult(outcome.before)?.finalOutput?.getBlockReason() ?? '';
        const blocked: ChatEvent = { type: 'promptBlocked', reason };
        if (outcome.stop === undefined) return blocked;
        this.#tell(blocked);
        return { type: 'stop', by: 'hook', reason: outcome.stop.reason };
      }
      case 'stopped':
        return { type: 'stop', by: outcome.by, reason: outcome.reason };
      case 'failed':
        return { type: 'error', message: messageOf(outcome.error) };
      case 'cancelled':
        return { type: 'cancelled', reason: outcome.reason };
    }
  }
}
