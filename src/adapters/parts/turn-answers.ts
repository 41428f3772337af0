import type {
  CallNeutralModel,
  NeutralRequest,
  NeutralResponse,
} from '../../core/calls/run-model-call.ts';
import type { Conditions } from './framework-call.ts';
import { type Admission, type TurnParts, TurnRun } from './turn-run.ts';
import { saying, type Turn } from './turns.ts';

/** The machines of turns that a framework runs. */
export class TurnAnswers {
  readonly #parts: TurnParts;
  readonly #runs = new WeakMap<Turn, TurnRun>();

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Has BeforeAgent hooks judge a prompt; `begin` makes the turn if they admit it. */
  async admit(
    about: Pick<Turn, 'sessionId' | 'prompt'>,
    signal: AbortSignal,
    begin: (admitted: Extract<Admission, { readonly result: unknown }>) => Turn,
  ): Promise<{ readonly turn: Turn } | { readonly answer: NeutralResponse }> {
    const run = new TurnRun(this.#parts, about);
    const admission = await run.admit(signal);
    if ('answer' in admission) return admission;
    const turn = begin(admission);
    this.#use(turn, run);
    return { turn };
  }

  /**
   * Returns the model's answer, after as many further rounds as AfterAgent hooks want.
   *
   * @throws what `callModel` threw, or the signal's reason
   */
  async of(
    turn: Turn,
    request: NeutralRequest,
    callModel: CallNeutralModel,
    how: Conditions,
  ): Promise<NeutralResponse> {
    if (turn.stop) {
      this.#parts.turns.end(turn, turn.stop.reason);
      return saying(turn.stop.reason);
    }
    how.signal.throwIfAborted();
    const known = this.#runs.get(turn);
    // A turn goes on after its model has failed, and its machine has ended.
    const run = known?.isWaiting ? known : this.#startAgain(turn);
    return run.ask(turn, request, callModel, how);
  }

  #startAgain(turn: Turn): TurnRun {
    const run = new TurnRun(this.#parts, turn, turn.rejections);
    run.start();
    return this.#use(turn, run);
  }

  #use(turn: Turn, run: TurnRun): TurnRun {
    this.#runs.set(turn, run);
    turn.run = run;
    return run;
  }
}
