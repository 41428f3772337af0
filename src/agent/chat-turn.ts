import { randomUUID } from 'node:crypto';
import type { AnyActorRef } from 'xstate';
import {
  type AgentTurnInput,
  agentTurnMachine,
  type AgentTurnOutcome,
  type AgentTurnPorts,
  type ModelStep,
  type ToolStep,
} from '../../machines/agent-turn.ts';
import type { PrepareOptions } from '../hooks/hook-event-handler.ts';
import { hookEvent } from '../hooks/hook-machines.ts';
import { observed } from '../hooks/observers.ts';
import { runMachine } from '../hooks/run-machine.ts';
import { messageOf } from '../message-of.ts';
import type { DefaultHookOutput } from '../protocol/output.ts';
import { errorResult } from '../protocol/tool-result.ts';
import type { GenAIRequest } from '../translate/genai-types.ts';
import { withSystemMessage } from '../translate/genai-v1.ts';
import { type ChatEvent, hookDecision, toolEvents } from './chat-events.ts';
import {
  conversationOf,
  modelMessage,
  textOf,
  toolCallsOf,
  toolMessage,
  userMessage,
  withCallIds,
} from './chat-history.ts';
import type { ChatLoopOptions, ChatSession, ConfirmRequest } from './chat-session.ts';
import { compressHistory } from './compress-history.ts';
import { hasHooks, hookResult, planHooks, type Ready, readyHookSystem } from './event-hooks.ts';
import { type EndedModelCall, runModelCall } from './model-call.ts';
import { beginSession, fireSessionEvent, notice } from './session-events.ts';
import type { ToolCallRequest } from './tool-call.ts';
import { refusalOf } from './tool-choice.ts';
import { ToolScheduler } from './tool-scheduler.ts';

/** The machine of a turn with its actors provided, once for all runs. */
const agentTurn = agentTurnMachine.provide({ actors: { hookEvent } });

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
      const input = { ports: this.#ports(prompt, system), ...limits };
      const outcome = await runMachine(agentTurn, input, { signal, ...observed(config) });
      return this.#lastEvent(outcome, limits);
    } catch (error) {
      return { type: 'error', message: messageOf(error) };
    } finally {
      this.#answerOpenCalls();
    }
  }

  #ports(prompt: string, system: Ready): AgentTurnPorts {
    const { history, options, contexts } = this.#session;
    const context = { invokedBy: options.invokedBy, messages: () => conversationOf(history) };
    const reporting = (event: 'BeforeAgent' | 'AfterAgent'): PrepareOptions => ({
      context,
      onDecided: (result) => {
        this.#tell(...hookDecision(event, result));
        this.#note(result.finalOutput);
      },
    });
    const onPrompt = planHooks(options.config, system, 'BeforeAgent');
    const onAnswer = planHooks(options.config, system, 'AfterAgent');
    return {
      ...(onPrompt && {
        hooksBefore: () => onPrompt(() => ({ prompt }), reporting('BeforeAgent')),
      }),
      ...(onAnswer && {
        hooksAfter: (rejections) =>
          onAnswer(
            () => ({
              prompt,
              prompt_response: this.#said,
              stop_hook_active: rejections > 0,
            }),
            reporting('AfterAgent'),
          ),
      }),
      acceptPrompt: (before) => {
        const added = hookResult(before)?.finalOutput?.getAdditionalContext();
        const parts = [prompt, ...contexts.splice(0), ...(added === undefined ? [] : [added])];
        history.push(userMessage(parts.join('\n\n')));
      },
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
      callModel: (parent) => this.#callModel(system, parent),
      runTools: (calls, parent) => this.#runTools(calls as readonly ToolCallRequest[], parent),
      cancelCalls: (reason) => this.#abort.abort(reason),
    };
  }

  /** What a hook has for the model goes with its next request (C-54, C-61). */
  #note(output: DefaultHookOutput | undefined): void {
    if (output?.systemMessage) this.#session.notes.add(output.systemMessage);
  }

  async #callModel(system: Ready, parent: AnyActorRef): Promise<ModelStep> {
    const { options, notes, history } = this.#session;
    const { config, model } = options;
    const { signal } = this.#abort;
    // The actions of a machine that has just been started run after its first child was.
    await Promise.resolve();
    const isHeld = options.display !== 'live' && hasHooks(system, 'AfterModel');
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
      {
        signal,
        parent,
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

  async #runTools(requests: readonly ToolCallRequest[], parent: AnyActorRef): Promise<ToolStep> {
    const { options, tools, history } = this.#session;
    const { config, confirm, toolLimit, invokedBy } = options;
    for (const { id, name, input } of requests) this.#tell({ type: 'toolCall', id, name, input });
    const scheduler = new ToolScheduler({
      config,
      tools,
      ...(toolLimit !== undefined && { limit: toolLimit }),
      ...(confirm && { confirm: (request) => this.#confirmed(request, confirm) }),
      notOffered: (name) => refusalOf(name, this.#request!),
      invokedBy,
      onCompleted: (call) => this.#tell(...toolEvents(call)),
      parent,
      allowGuardWrites: options.allowGuardWrites,
      // What the user agreed to need not have shown where the tool would write.
      confirmGuarded:
        confirm && ((request, guarded) => this.#confirmed({ ...request, guarded }, confirm)),
    });
    const { calls, stop } = await scheduler.schedule(requests, { signal: this.#abort.signal });
    history.push(toolMessage(calls));
    return stop ? { stop } : {};
  }

  /** Asks the user, where the host wants it, with what hooks left of the arguments; Notification hooks are told first. */
  async #confirmed(
    request: ConfirmRequest,
    confirm: NonNullable<ChatLoopOptions['confirm']>,
  ): Promise<boolean> {
    const type = 'ToolPermission';
    const { guarded } = request;
    const fields = {
      notification_type: type,
      message: guarded
        ? `The agent wants to run ${request.name}, which would write where its guards stand: ${guarded.join(', ')}.`
        : `The agent wants to run ${request.name}.`,
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
