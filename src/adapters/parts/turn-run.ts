import {
  agentTurnMachine,
  type AgentTurnHooks,
  type AgentTurnOutcome,
  type AgentTurnPorts,
  type KeptToolStep,
  type ModelStep,
} from '../../../machines/agent-turn.ts';
import type { HookEventOutcome } from '../../../machines/hook-event.ts';
import type { ModelCallOutcome } from '../../../machines/model-call.ts';
import { blockReasonOf, stopReasonOf, wishesOf } from '../../core/answers/reasons.ts';
import type { AggregatedHookResult } from '../../core/answers/results.ts';
import {
  hookResult,
  hooksFor,
  readyHookSystem,
  warnOfFailures,
} from '../../core/calls/event-hooks.ts';
import { modelCall } from '../../core/calls/genai-model-call.ts';
import {
  type CallNeutralModel,
  type EndedNeutralCall,
  neutralModelCall,
  type NeutralModelCall,
  type NeutralPart,
  type NeutralRequest,
  type NeutralResponse,
} from '../../core/calls/run-model-call.ts';
import { toolCall } from '../../core/calls/run-tool-call.ts';
import type { StopRequest } from '../../core/calls/tool-effects.ts';
import { defaultMaxRejections } from '../../core/calls/turn-limits.ts';
import { hookEvent, later, onAbort, runMachine } from '../../core/run/run-machine.ts';
import { observed, observedSession } from '../../core/run/telemetry.ts';
import { warnPlainly } from '../../base/log.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { Conditions } from './framework-call.ts';
import type { JudgeAnswer } from './judge-answer.ts';
import type { Notices } from './notices.ts';
import { type AdapterOptions, tooManyRounds } from './options.ts';
import { saying, textOf, type Turn, type Turns, withTurn } from './turns.ts';

/** The machine for a turn, with its actors provided once for all runs. */
const agentTurn = agentTurnMachine.provide({ actors: { hookEvent, modelCall, toolCall } });

const nothing = (): void => undefined;

/** How many of an answer's tool calls are drawn side by side; they run where the framework runs them. */
const mostDrawn = 16;

/** What the turns of a framework's agent are run with. */
export interface TurnParts {
  readonly config: HookSystemConfig;
  readonly options: AdapterOptions;
  readonly turns: Turns;
  readonly notices: Notices;
  readonly judge: JudgeAnswer;
}

/** What hooks said about a prompt: what they add to it, or the answer in the model's place. */
export type Admission =
  | { readonly result: AggregatedHookResult | undefined }
  | { readonly answer: NeutralResponse };

/** A model call of the framework, until it has its answer. */
interface Round {
  readonly turn: Turn;
  readonly request: NeutralRequest;
  readonly callModel: CallNeutralModel;
  readonly how: Conditions;
  readonly resolve: (answer: NeutralResponse) => void;
  readonly reject: (error: unknown) => void;
  /** The model's last answer, as the framework would get it. */
  response: NeutralResponse;
  call?: EndedNeutralCall;
  /** What the framework still does with an answer that AfterAgent hooks did not accept. */
  refused?: unknown;
}

/**
 * The `agentTurn` machine of a turn that a framework runs. The framework says when the model is asked and runs
 * the tools; the machine has everything else of the turn.
 */
export class TurnRun {
  readonly #parts: TurnParts;
  readonly #sessionId: string;
  readonly #prompt: string;
  readonly #abort = new AbortController();
  readonly #admission = later<Admission>();
  /** The tool calls of the last answer that have not ended. Some models give several the same id. */
  readonly #calls: { readonly id: string; readonly end: (step: KeptToolStep) => void }[] = [];
  #next = later<void>();
  #round: Round | undefined;
  #model: NeutralModelCall | undefined;
  #isOver = false;
  #isLeft = false;
  /** The framework has gone on, so no tool call of the last answer is under way. */
  #areCallsOver = false;
  readonly #rejections: number;

  /** `rejections` is how many times AfterAgent hooks have made the agent continue in this turn. */
  constructor(parts: TurnParts, about: Pick<Turn, 'sessionId' | 'prompt'>, rejections = 0) {
    this.#parts = parts;
    this.#sessionId = about.sessionId;
    this.#prompt = about.prompt;
    this.#rejections = rejections;
  }

  /** Whether the model may be asked next. */
  get isWaiting(): boolean {
    return !this.#isOver && !this.#isLeft && this.#round === undefined;
  }

  /**
   * Starts the machine with the hooks on the prompt, and returns what they said.
   *
   * @throws the signal's reason if it aborts
   */
  async admit(signal: AbortSignal): Promise<Admission> {
    const stopListening = onAbort(signal, () => this.#abort.abort(signal.reason));
    if (signal.aborted) this.#abort.abort(signal.reason);
    try {
      this.#start(true);
      return await this.#admission.promise;
    } finally {
      stopListening();
    }
  }

  /** Starts the machine without them, for a turn whose prompt was judged before. */
  start(): void {
    this.#start(false);
  }

  /**
   * Asks the model, and returns its answer after as many further rounds as AfterAgent hooks want.
   *
   * @throws what `callModel` threw, or the signal's reason
   */
  ask(
    turn: Turn,
    request: NeutralRequest,
    callModel: CallNeutralModel,
    how: Conditions,
  ): Promise<NeutralResponse> {
    const stopListening = onAbort(how.signal, () => this.#abort.abort(how.signal.reason));
    return new Promise<NeutralResponse>((resolve, reject) => {
      const response = saying('');
      this.#round = { turn, request, callModel, how, resolve, reject, response };
      // Those that did not come through us have ended as well.
      this.#areCallsOver = true;
      this.#endCalls();
      this.#next.settle();
    }).finally(stopListening);
  }

  /** A tool call of the last answer has ended. */
  ended(id: string, stop: StopRequest | undefined): void {
    const at = this.#calls.findIndex((call) => call.id === id);
    if (at !== -1)
      this.#calls.splice(at, 1)[0]!.end({ status: 'kept', ended: stop ? { stop } : {} });
  }

  /** Nothing of the turn follows; a model call that is under way still gets its answer. */
  leave(reason: string): void {
    this.#isLeft = true;
    if (this.#round === undefined) this.#stop(reason);
  }

  #stop(reason: string): void {
    this.#areCallsOver = true;
    this.#endCalls();
    this.#abort.abort(new Error(reason));
  }

  #start(judgesPrompt: boolean): void {
    const { config, options } = this.#parts;
    const { maxRejections = defaultMaxRejections } = options;
    const input = {
      ...observedSession(config, this.#sessionId),
      prompt: this.#prompt,
      ports: this.#ports(judgesPrompt),
      maxSteps: Infinity,
      maxRejections: Math.max(0, maxRejections - this.#rejections),
      toolLimit: mostDrawn,
    };
    void runMachine(agentTurn, input, { signal: this.#abort.signal, ...observed(config) }).then(
      (outcome) => this.#end(outcome),
      (error: unknown) => this.#end({ status: 'failed', steps: 0, error }),
    );
  }

  #ports(judgesPrompt: boolean): AgentTurnPorts {
    return {
      planHooks: () => this.#planHooks(judgesPrompt),
      acceptPrompt: (before) => this.#admission.settle({ result: hookResult(before) }),
      nextRequest: () => this.#next.promise,
      sendOn: (after) => this.#continue(after),
      stopOf: (outcome) => {
        const reason = stopReasonOf(hookResult(outcome)!.verdict);
        this.#parts.options.onStop?.(reason);
        return { reason };
      },
      modelCall: () => {
        this.#model = this.#modelCall(this.#round!);
        return this.#model.input;
      },
      readAnswer: (outcome) => this.#readAnswer(outcome, this.#round!),
      takeAnswer: nothing,
      reportCalls: () => void this.#judge(this.#round!),
      runKeptCall: (call) =>
        new Promise((resolve) => {
          const { id } = (call as NeutralPart).call!;
          if (this.#areCallsOver) resolve({ status: 'kept', ended: {} });
          else this.#calls.push({ id, end: resolve });
        }),
      toolCall: () => {
        throw new TypeError('a framework runs its tools itself');
      },
      readResult: () => ({}),
      reportResults: nothing,
      takeResults: nothing,
    };
  }

  async #planHooks(judgesPrompt: boolean): Promise<AgentTurnHooks> {
    const { config } = this.#parts;
    const prompt = this.#prompt;
    const system = await readyHookSystem(config);
    const onPrompt = judgesPrompt ? hooksFor(config, system, 'BeforeAgent') : undefined;
    const onAnswer = hooksFor(config, system, 'AfterAgent');
    const reporting = {
      context: { sessionId: this.#sessionId },
      onDecided: ({ verdict }: AggregatedHookResult): void => {
        if (verdict.notice !== undefined) this.#parts.notices.tell(verdict.notice);
      },
    };
    return {
      ...(onPrompt && { before: () => onPrompt(() => ({ prompt }), reporting) }),
      ...(onAnswer && {
        after: () =>
          onAnswer(
            () => ({
              prompt,
              prompt_response: textOf(this.#round!.response.parts),
              stop_hook_active: this.#round!.turn.rejections > 0,
            }),
            reporting,
          ),
      }),
    };
  }

  #modelCall({ turn, request, callModel, how, refused }: Round): NeutralModelCall {
    const { config, notices } = this.#parts;
    const { onText } = how;
    return neutralModelCall(
      config,
      readyHookSystem(config),
      withTurn(request, turn),
      async (...asked) => {
        await refused;
        const response = await callModel(...asked);
        turn.notes.clear();
        return response;
      },
      {
        sessionId: turn.sessionId,
        // If an answer comes as a whole, nobody waits for its text.
        ...(onText && { onText, onWait: (waitsFor) => notices.textWaits(waitsFor) }),
      },
    );
  }

  #readAnswer(outcome: ModelCallOutcome, round: Round): ModelStep {
    const { config, options } = this.#parts;
    const { turn } = round;
    warnOfFailures(config, outcome);
    const call = this.#model!.read(outcome);
    if (call.systemMessage !== undefined) turn.notes.add(call.systemMessage);
    if (outcome.status === 'cancelled') return { status: 'cancelled' };
    if (outcome.status === 'failed') return { status: 'failed', error: outcome.error };
    round.call = call;
    round.response = this.#given(call, turn);
    const { stop } = call;
    if (stop) options.onStop?.(stop.reason);
    const calls = stop ? [] : round.response.parts.filter((part) => part.call !== undefined);
    return { status: 'answered', calls, ...(stop && { stop }) };
  }

  /**
   * What the framework takes as the model's answer; a stop or a denial without one answers with its reason.
   */
  #given(
    { response, stop, blockedReason, outcome, suppressOutput }: EndedNeutralCall,
    turn: Turn,
  ): NeutralResponse {
    const { turns, notices } = this.#parts;
    turns.wants(turn, []);
    if (blockedReason !== undefined && !stop) notices.blocked({ reason: blockedReason });
    if (suppressOutput) notices.hiding('AfterModel', 'what the model says');
    const said = response && textOf(response.parts) !== '' ? response : undefined;
    // What was shown before a hook ended the answer stays.
    const ending = stop?.reason ?? (outcome.status === 'blocked' ? blockedReason : undefined);
    if (ending === undefined) return response ?? saying('');
    const parts = said?.parts.filter(({ call }) => call === undefined);
    return said && parts ? { ...said, parts } : saying(ending);
  }

  /** Has the tool calls of an answer judged before the framework gets it. */
  async #judge({ turn, response, call, how, resolve, reject }: Round): Promise<void> {
    this.#next = later();
    this.#areCallsOver = false;
    try {
      const answer = await this.#parts.judge.judged(turn, response, call!, how);
      this.#round = undefined;
      if (turn.stop) this.#endCalls(turn.stop);
      if (this.#isLeft) this.#stop('the turn ended');
      resolve(answer);
    } catch (error) {
      reject(error);
    }
  }

  /** Ends all tool calls of the last answer that have not ended. */
  #endCalls(stop?: StopRequest): void {
    while (this.#calls[0]) this.ended(this.#calls[0].id, stop);
  }

  /** AfterAgent hooks make the agent continue: what they want is then in the turn. */
  #continue(after: HookEventOutcome): void {
    const { turn, request, response, how } = this.#round!;
    const { verdict } = hookResult(after)!;
    if (verdict.message !== undefined) turn.notes.add(verdict.message);
    turn.rejections += 1;
    turn.insertions.push({
      at: request.messages.length,
      messages: [
        { role: 'model', parts: response.parts },
        ...wishesOf(verdict).map((text) => ({ role: 'user' as const, parts: [{ text }] })),
      ],
    });
    this.#round!.refused = how.onSentOn?.(response);
  }

  #end(outcome: AgentTurnOutcome): void {
    const { config, options, turns } = this.#parts;
    const round = this.#round;
    this.#isOver = true;
    this.#round = undefined;
    switch (outcome.status) {
      case 'blocked': {
        const { verdict } = hookResult(outcome.before)!;
        const reason = outcome.stop?.reason ?? blockReasonOf('BeforeAgent', verdict);
        if (outcome.stop === undefined) this.#parts.notices.blocked({ reason });
        return this.#admission.settle({ answer: saying(reason) });
      }
      case 'finished': {
        const { maxRejections = defaultMaxRejections } = options;
        if (outcome.overruled) warnPlainly(config.onWarning, tooManyRounds(maxRejections));
        if (round) turns.end(round.turn, 'the turn ended');
        return round?.resolve(round.response);
      }
      case 'stopped':
        this.#admission.settle({ answer: saying(outcome.reason) });
        if (round) turns.end(round.turn, outcome.reason);
        return round?.resolve(round.response);
      case 'failed':
        this.#admission.settle({ result: undefined });
        return round?.reject(outcome.error);
      case 'cancelled':
        this.#admission.settle({ result: undefined });
        return round?.reject(this.#abort.signal.reason);
      case 'suspended':
        return;
    }
  }
}
