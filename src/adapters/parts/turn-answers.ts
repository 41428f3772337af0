import { defaultMaxRejections } from '../../core/calls/turn-limits.ts';
import {
  type CallNeutralModel,
  type EndedNeutralCall,
  type NeutralRequest,
  type NeutralResponse,
  runModelCall,
} from '../../core/calls/run-model-call.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { warnPlainly } from '../../base/log.ts';
import { stopReasonOf, wishesOf } from '../../core/answers/reasons.ts';
import type { Conditions } from './framework-call.ts';
import type { JudgeAnswer } from './judge-answer.ts';
import type { Notices } from './notices.ts';
import { type AdapterOptions, tooManyRounds } from './options.ts';
import type { Sessions } from './sessions.ts';
import { saying, textOf, type Turn, type Turns, withTurn } from './turns.ts';

/** What the answers of a framework's agent are made with. */
interface AnswerParts {
  readonly config: HookSystemConfig;
  readonly options: AdapterOptions;
  readonly turns: Turns;
  readonly sessions: Sessions;
  readonly notices: Notices;
  readonly judge: JudgeAnswer;
}

/** The model's answers in turns that a framework runs. */
export class TurnAnswers {
  readonly #parts: AnswerParts;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** Returns the model's answer, after as many further rounds as AfterAgent hooks want. */
  async of(
    turn: Turn,
    request: NeutralRequest,
    callModel: CallNeutralModel,
    how: Conditions,
  ): Promise<NeutralResponse> {
    for (;;) {
      if (turn.stop) {
        this.#parts.turns.end(turn, turn.stop.reason);
        return saying(turn.stop.reason);
      }
      const call = await this.#call(turn, request, callModel, how);
      const response = this.#read(call, turn);
      if (call.stop) {
        this.#parts.options.onStop?.(call.stop.reason);
        this.#parts.turns.end(turn, call.stop.reason);
        return response;
      }
      const wanted = response.parts.filter((part) => part.call !== undefined);
      if (wanted.length > 0) return this.#parts.judge.judged(turn, response, call, how);
      const continues = await this.#sentOn(turn, request, response, how.signal);
      if (!continues) return response;
      await how.onSentOn?.(response);
    }
  }

  async #call(
    turn: Turn,
    request: NeutralRequest,
    callModel: CallNeutralModel,
    { signal, onText }: Conditions,
  ): Promise<EndedNeutralCall> {
    const call = await runModelCall(
      this.#parts.config,
      withTurn(request, turn),
      async (...asked) => {
        const response = await callModel(...asked);
        turn.notes.clear();
        return response;
      },
      {
        signal,
        sessionId: turn.sessionId,
        // If an answer comes as a whole, nobody waits for its text.
        ...(onText && { onText, onWait: (waitsFor) => this.#parts.notices.textWaits(waitsFor) }),
      },
    );
    if (call.systemMessage !== undefined) turn.notes.add(call.systemMessage);
    if (call.outcome.status === 'cancelled') throw signal.reason;
    if (call.outcome.status === 'failed') throw call.error;
    return call;
  }

  /**
   * What the framework takes as the model's answer; a stop or a denial without one answers with its reason.
   */
  #read(
    { response, stop, blockedReason, outcome, suppressOutput }: EndedNeutralCall,
    turn: Turn,
  ): NeutralResponse {
    this.#parts.turns.wants(turn, []);
    if (blockedReason !== undefined && !stop)
      this.#parts.notices.blocked({ reason: blockedReason });
    if (suppressOutput) this.#parts.notices.hiding('AfterModel', 'what the model says');
    const said = response && textOf(response.parts) !== '' ? response : undefined;
    // What was shown before a hook ended the answer stays.
    const ending = stop?.reason ?? (outcome.status === 'blocked' ? blockedReason : undefined);
    if (ending === undefined) return response ?? saying('');
    const parts = said?.parts.filter(({ call }) => call === undefined);
    return said && parts ? { ...said, parts } : saying(ending);
  }

  /** Whether AfterAgent hooks make the agent continue after an answer; what they want is then in the turn. */
  async #sentOn(
    turn: Turn,
    request: NeutralRequest,
    response: NeutralResponse,
    signal: AbortSignal,
  ): Promise<boolean> {
    const result = await this.#parts.sessions.fire(
      'AfterAgent',
      {
        prompt: turn.prompt,
        prompt_response: textOf(response.parts),
        stop_hook_active: turn.rejections > 0,
      },
      turn.sessionId,
      undefined,
      signal,
    );
    const verdict = result?.verdict;
    if (verdict?.stop) this.#parts.options.onStop?.(stopReasonOf(verdict));
    const wishes = verdict ? wishesOf(verdict) : [];
    const { maxRejections = defaultMaxRejections } = this.#parts.options;
    const isOver = verdict?.stop === true || wishes.length === 0;
    if (isOver || turn.rejections >= maxRejections) {
      if (!isOver) warnPlainly(this.#parts.config.onWarning, tooManyRounds(maxRejections));
      this.#parts.turns.end(turn, 'the turn ended');
      return false;
    }
    if (verdict?.message !== undefined) turn.notes.add(verdict.message);
    turn.rejections += 1;
    turn.insertions.push({
      at: request.messages.length,
      messages: [
        { role: 'model', parts: response.parts },
        ...wishes.map((text) => ({ role: 'user' as const, parts: [{ text }] })),
      ],
    });
    return true;
  }
}
