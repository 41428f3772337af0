import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import {
  agentTurnMachine,
  type AgentTurnHooks,
  type AgentTurnOutcome,
  type AgentTurnPorts,
  type EndedToolStep,
} from '../../../machines/agent-turn.ts';
import type { ModelCallInput } from '../../../machines/model-call.ts';
import { hookEvent, runMachine } from '../../core/run/run-machine.ts';
import { observed, observedSession } from '../../core/run/telemetry.ts';
import type { PrepareOptions } from '../../core/run/planned-event.ts';
import { messageOf } from '../../base/message-of.ts';
import { errorResult } from '../../core/protocol/tool-result.ts';
import type { GenAIRequest } from '../../core/translate/genai-types.ts';
import { withSystemMessage } from '../../core/translate/genai-v1.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import type { CallKeeper } from '../../core/calls/call-keeper.ts';
import {
  hookDecision,
  notice,
  toolEvents,
  type ChatEvent,
  type SuspendedToolCall,
} from './chat-events.ts';
import { conversationOf, toolMessage, userMessage } from './chat-history.ts';
import type { ChatLoopOptions, ChatSession, ConfirmRequest } from './chat-session.ts';
import { compressHistory } from './compress-history.ts';
import { keepCall, keptEvents, waitingCall, withdrawAll } from './kept-calls.ts';
import {
  modelCall,
  modelCallInput,
  type EndedModelCall,
} from '../../core/calls/genai-model-call.ts';
import {
  type ReadAnswer,
  keptAnswer,
  readAnswer,
  readResult,
  type TurnCall,
  type TurnLimits,
} from './turn-steps.ts';
import { OfferedTools } from './offered-tools.ts';
import { addResults, unansweredCalls } from './unanswered-calls.ts';
import {
  hookResult,
  hooksFor,
  readyHookSystem,
  warnOfFailures,
} from '../../core/calls/event-hooks.ts';
import { beginSession, fireSessionEvent } from './session-events.ts';
import {
  runToolCall,
  toolCall,
  toolCallInput,
  type ToolCallRequest,
} from '../../core/calls/run-tool-call.ts';
import { defaultMaxRejections, defaultMaxSteps } from '../../core/calls/turn-limits.ts';
import { refusalOf } from '../../core/calls/tool-choice.ts';
import { textOfResponse } from '../../core/translate/response.ts';
import { blockReasonOf, stopReasonOf } from '../../core/answers/reasons.ts';

/** The machine for a turn, with its actors provided once for all runs. */
const agentTurn = agentTurnMachine.provide({ actors: { hookEvent, modelCall, toolCall } });

/** One turn of a session, for its `agentTurn` machine: it keeps the history and emits the events. */
export class ChatTurn {
  readonly #session: ChatSession;
  readonly #abort: AbortController;
  readonly #tell: (...events: ChatEvent[]) => void;
  readonly #offered: OfferedTools;
  /** How many results of the last answer's tool calls were emitted. */
  #emitted = 0;
  /** Whether text of the current or last model call was shown as it streamed. */
  #isShown = false;
  /** The request of the last model call, as it was sent. */
  #request: GenAIRequest | undefined;
  /** The part of the last response that the user saw. */
  #answer = '';
  /** The text of the last response. */
  #said = '';
  #isSuspended = false;
  /** The calls that wait for answers, if the turn is suspended. */
  #waiting: readonly SuspendedToolCall[] = [];

  constructor(
    session: ChatSession,
    abort: AbortController,
    tell: (...events: ChatEvent[]) => void,
  ) {
    this.#session = session;
    this.#abort = abort;
    this.#tell = tell;
    const { config, confirm, invokedBy, allowGuardWrites } = session.options;
    this.#offered = new OfferedTools({
      config,
      tools: session.tools,
      invokedBy,
      notOffered: (name) => refusalOf(name, this.#request!),
      confirm: confirm && ((request) => this.#confirmed(request, confirm)),
      allowGuardWrites,
      // A call that the user approved did not necessarily show where the tool would write.
      confirmGuarded:
        confirm && ((request, guarded) => this.#confirmed({ ...request, guarded }, confirm)),
    });
  }

  /**
   * Runs the turn to its last event, which is returned and not emitted; or runs the rest of a suspended turn,
   * with these calls. Never rejects.
   */
  async run(prompt: string, resumed: readonly ToolCallRequest[] = []): Promise<ChatEvent> {
    const { options } = this.#session;
    const { config } = options;
    const { signal } = this.#abort;
    const limits = {
      maxSteps: options.maxSteps ?? defaultMaxSteps,
      maxRejections: options.maxRejections ?? defaultMaxRejections,
    };
    try {
      const { compressAt = Infinity } = options;
      if (this.#session.tokens >= compressAt && resumed.length === 0)
        await compressHistory(this.#session, 'auto', this.#tell, signal);
      await beginSession(this.#session, this.#tell);
      const input = {
        ...observedSession(config),
        prompt,
        ports: this.#ports(prompt, resumed),
        resumed,
        toolLimit: options.toolLimit ?? availableParallelism(),
        ...limits,
      };
      const outcome = await runMachine(agentTurn, input, { signal, ...observed(config) });
      this.#isSuspended = outcome.status === 'suspended';
      return this.#lastEvent(outcome, limits);
    } catch (error) {
      return { type: 'error', message: messageOf(error) };
    } finally {
      if (!this.#isSuspended) await this.#answerOpenCalls();
    }
  }

  #ports(prompt: string, resumed: readonly ToolCallRequest[]): AgentTurnPorts {
    const {
      history,
      contexts,
      options: { durable },
    } = this.#session;
    return {
      planHooks: () => this.#planHooks(prompt),
      acceptPrompt: (before) => {
        const added = hookResult(before)?.verdict.context;
        const parts = [prompt, ...contexts.splice(0), ...(added === undefined ? [] : [added])];
        history.push(userMessage(parts.join('\n\n')));
      },
      sendOn: (after) => {
        const { verdict } = hookResult(after)!;
        if (verdict.decision === 'deny') {
          const reason = blockReasonOf('AfterAgent', verdict);
          this.#tell({ type: 'answerRejected', reason });
          history.push(userMessage(reason));
        }
        for (const text of verdict.followUps) {
          this.#tell({ type: 'followUp', text });
          history.push(userMessage(text));
        }
      },
      stopOf: (outcome) => ({ reason: stopReasonOf(hookResult(outcome)!.verdict) }),
      modelCall: () => this.#modelCall(),
      readAnswer: (outcome) => readAnswer(outcome, durable !== undefined),
      takeAnswer: (step) => this.#takeAnswer(step as ReadAnswer),
      reportCalls: (calls) => {
        this.#emitted = 0;
        for (const { id, name, input } of calls as readonly ToolCallRequest[])
          this.#tell({ type: 'toolCall', id, name, input });
      },
      ...(durable && {
        runKeptCall: async (call) => {
          const request = call as ToolCallRequest;
          const ended = await this.#keep(durable, request, resumed.includes(request));
          return { status: 'kept', ended };
        },
      }),
      toolCall: (call) => {
        const request = call as ToolCallRequest;
        const { execute, options } = this.#offered.call(request, this.#abort.signal);
        const { config } = this.#session.options;
        return toolCallInput(config, readyHookSystem(config), request, execute, options);
      },
      readResult: (call, end) => readResult(call as ToolCallRequest, end),
      reportResults: (ended) => this.#reportResults(ended),
      takeResults: (ended, isSuspended) => this.#takeResults(ended as TurnCall[], isSuspended),
    };
  }

  /** The hooks on the prompt and on the answer, once the host's hooks are ready. */
  async #planHooks(prompt: string): Promise<AgentTurnHooks> {
    const { history, options } = this.#session;
    const system = await readyHookSystem(options.config);
    const context = { invokedBy: options.invokedBy, messages: () => conversationOf(history) };
    const reporting = (event: 'BeforeAgent' | 'AfterAgent'): PrepareOptions => ({
      context,
      onDecided: (result) => {
        this.#tell(...hookDecision(event, result));
        this.#note(result);
      },
    });
    const onPrompt = hooksFor(options.config, system, 'BeforeAgent');
    const onAnswer = hooksFor(options.config, system, 'AfterAgent');
    return {
      ...(onPrompt && { before: () => onPrompt(() => ({ prompt }), reporting('BeforeAgent')) }),
      ...(onAnswer && {
        after: (rejections) =>
          onAnswer(
            () => ({
              prompt,
              prompt_response: this.#said,
              stop_hook_active: rejections > 0,
            }),
            reporting('AfterAgent'),
          ),
      }),
    };
  }

  /** A hook's message for the model goes with the next request. */
  #note({ verdict: { message } }: AggregatedHookResult): void {
    if (message) this.#session.notes.add(message);
  }

  #modelCall(): ModelCallInput {
    const { options, notes } = this.#session;
    const { config, model } = options;
    this.#isShown = false;
    return modelCallInput(
      config,
      readyHookSystem(config),
      { id: randomUUID(), request: this.#nextRequest() },
      async (request, signal, text) => {
        const response = await model.generate(request, {
          signal,
          onText: (more) => text.add(more),
        });
        notes.clear();
        return response;
      },
      {
        onHooks: (event, result) => this.#tell(...hookDecision(event, result)),
        onText: (text) => {
          if (this.#abort.signal.aborted) return;
          this.#isShown = true;
          this.#tell({ type: 'text', text });
        },
        onWait: (hooks) => this.#reportWait(hooks),
        showsUnjudged: options.display === 'live',
      },
    );
  }

  /** Reported once per session. */
  #reportWait(hooks: readonly string[]): void {
    if (this.#session.saidWhyTextWaits) return;
    this.#session.saidWhyTextWaits = true;
    this.#session.options.onTextWaits?.(hooks);
  }

  #takeAnswer({ call, message, status }: ReadAnswer): void {
    const { options, notes, history } = this.#session;
    warnOfFailures(options.config, call.outcome);
    if (call.systemMessage !== undefined) notes.add(call.systemMessage);
    this.#request = call.request;
    this.#session.tokens = call.response?.usageMetadata?.totalTokenCount ?? this.#session.tokens;
    if (status !== 'answered') return;
    this.#show(call);
    if (message) history.push(message);
  }

  #show(call: EndedModelCall): void {
    const { outcome, blockedReason, response, suppressOutput } = call;
    if (outcome.status === 'blocked' && blockedReason !== undefined)
      this.#tell({ type: 'modelBlocked', reason: blockedReason });
    this.#said = response ? textOfResponse(response) : '';
    const wasShown = outcome.stream !== undefined && this.#isShown;
    this.#answer = suppressOutput && !wasShown ? '' : this.#said;
    if (this.#answer !== '' && !this.#isShown) this.#tell({ type: 'text', text: this.#answer });
  }

  /** The conversation so far as a request. Hooks may change it, and their changes stay in that request. */
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

  /** Makes a call that is kept beyond this process; a call to a tool that is not on offer is refused here. */
  async #keep(keeper: CallKeeper, request: ToolCallRequest, isResumed: boolean): Promise<TurnCall> {
    const { signal } = this.#abort;
    if (isResumed || refusalOf(request.name, this.#request!) === undefined)
      return keepCall(keeper, request, { isResumed, signal });
    const { execute, options } = this.#offered.call(request, signal);
    const ended = await runToolCall(this.#session.options.config, request, execute, {
      ...options,
      signal,
    });
    return { ...ended, request };
  }

  #reportResults(ended: readonly (EndedToolStep | undefined)[]): void {
    for (let end = ended[this.#emitted]; end; end = ended[this.#emitted]) {
      const call = end as TurnCall;
      if ('outcome' in call) warnOfFailures(this.#session.options.config, call.outcome);
      this.#report(call);
    }
  }

  #report(call: TurnCall): void {
    this.#emitted++;
    this.#tell(...('outcome' in call ? toolEvents(call) : keptEvents(call)));
  }

  /** If the turn is suspended, the finished results wait in the history for those still to come. */
  #takeResults(ended: readonly TurnCall[], isSuspended: boolean): void {
    this.#waiting = isSuspended ? ended.flatMap(waitingCall) : [];
    const results = ended.flatMap(({ request, toolResult }) =>
      toolResult ? [{ request, toolResult }] : [],
    );
    if (results.length > 0) addResults(this.#session.history, toolMessage(results));
  }

  /**
   * Asks the user, if the host wants that, with the arguments as hooks left them; Notification hooks run
   * first.
   */
  async #confirmed(
    request: ConfirmRequest,
    confirm: NonNullable<ChatLoopOptions['confirm']>,
  ): Promise<boolean> {
    const type = 'ToolPermission';
    const { guarded } = request;
    const fields = {
      notification_type: type,
      message: guarded
        ? `The agent wants to run ${request.name}, which would change its own guards: ${guarded.join(', ')}.`
        : `The agent wants to run ${request.name}.`,
      details: { tool_name: request.name, tool_input: request.input },
    };
    await fireSessionEvent(this.#session, 'Notification', fields, type, this.#tell);
    return confirm(request);
  }

  /**
   * A turn may end before the tools that the model asked for; providers refuse a history without their
   * results.
   */
  async #answerOpenCalls(): Promise<void> {
    const { history, options } = this.#session;
    const calls = unansweredCalls(history);
    if (calls.length === 0) return;
    const why = 'The tool was not run: the turn had ended.';
    const toolResult = errorResult(why, 'cancelled');
    addResults(history, toolMessage(calls.map((request) => ({ request, toolResult }))));
    if (options.durable) await withdrawAll(options.durable, calls, 'The turn had ended.');
  }

  #lastEvent(outcome: AgentTurnOutcome, limits: TurnLimits): ChatEvent {
    switch (outcome.status) {
      case 'finished':
        if (outcome.overruled) this.#tell(notice(keptAnswer(limits)));
        return { type: 'finalAnswer', text: this.#answer, steps: outcome.steps };
      case 'blocked': {
        const reason = blockReasonOf('BeforeAgent', hookResult(outcome.before)!.verdict);
        const blocked: ChatEvent = { type: 'promptBlocked', reason };
        if (outcome.stop === undefined) return blocked;
        this.#tell(blocked);
        return { type: 'stop', by: 'hook', reason: outcome.stop.reason };
      }
      case 'stopped':
        return { type: 'stop', by: outcome.by, reason: outcome.reason };
      case 'suspended':
        return { type: 'suspended', approvals: this.#waiting };
      case 'failed':
        return { type: 'error', message: messageOf(outcome.error) };
      case 'cancelled':
        return { type: 'cancelled', reason: outcome.reason };
    }
  }
}
