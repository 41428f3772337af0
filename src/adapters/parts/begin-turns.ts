import type { NeutralRequest, NeutralResponse } from '../../core/calls/run-model-call.ts';
import type { DurableCalls } from './durable-calls.ts';
import type { FrameworkRun } from './framework-call.ts';
import type { LooseStops } from './loose-stops.ts';
import type { Sessions } from './sessions.ts';
import type { TurnAnswers } from './turn-answers.ts';
import { beginsTurn, promptOf, resultsAtEnd, type Turn, type Turns } from './turns.ts';

/** A turn, or the answer given in its place. */
export type Begun = { readonly turn: Turn } | { readonly answer: NeutralResponse };

/** What a turn begins with. */
interface Beginning {
  readonly turns: Turns;
  readonly answers: TurnAnswers;
  readonly sessions: Sessions;
  readonly looseStops: LooseStops;
  readonly durable: DurableCalls | undefined;
}

/** Finds the turn that a framework's request belongs to, and begins it where there is none. */
export class BeginTurns {
  readonly #turns: Turns;
  readonly #answers: TurnAnswers;
  readonly #sessions: Sessions;
  readonly #looseStops: LooseStops;
  readonly #durable: DurableCalls | undefined;
  /** Turns whose model call failed, by the key of the request. */
  readonly #failed = new WeakMap<object, Turn>();
  /** Turns of runs, and of the parts that work in parallel in them. */
  readonly #runs = new WeakMap<
    object,
    { readonly begun: Promise<Begun>; parts: Map<string, Turn> }
  >();

  constructor({ turns, answers, sessions, looseStops, durable }: Beginning) {
    this.#turns = turns;
    this.#answers = answers;
    this.#sessions = sessions;
    this.#looseStops = looseStops;
    this.#durable = durable;
  }

  /** Whether a turn of this run has begun. */
  hasRun(run: object): boolean {
    return this.#runs.has(run);
  }

  /** The model call of a turn failed: the same request continues it. */
  failed(key: object, turn: Turn): void {
    this.#failed.set(key, turn);
  }

  /** The turn that a request continues, or begins. */
  async of(
    request: NeutralRequest,
    sessionId: string,
    signal: AbortSignal,
    key: object | undefined,
  ): Promise<Begun> {
    const again = key && this.#failed.get(key);
    if (again) return { turn: again };
    const continued = this.#turns.continuedBy(request);
    if (continued) return { turn: continued };
    this.#turns.endThoseBefore(request);
    await this.#durable?.settle(sessionId, resultsAtEnd(request));
    return this.#begin(request, sessionId, signal);
  }

  /**
   * The turn of a run, which begins with its first call; each part that works in parallel has a turn of its
   * own within it.
   */
  async within(
    { run, part, sessionId }: FrameworkRun,
    request: NeutralRequest,
    signal: AbortSignal,
  ): Promise<Begun> {
    const known = this.#runs.get(run) ?? {
      begun: this.#begin(request, sessionId, signal),
      parts: new Map<string, Turn>(),
    };
    this.#runs.set(run, known);
    const begun = await known.begun;
    if ('answer' in begun) return begun;
    const before = known.parts.get(part) ?? (known.parts.size === 0 ? begun.turn : undefined);
    if (before && this.#turns.has(before)) {
      known.parts.set(part, before);
      return { turn: before };
    }
    const { prompt, contexts } = begun.turn;
    const turn = this.#turns.begin(sessionId, prompt, contexts);
    turn.stop = [...known.parts.values()].find(({ stop }) => stop)?.stop;
    known.parts.set(part, turn);
    return { turn };
  }

  async #begin(request: NeutralRequest, sessionId: string, signal: AbortSignal): Promise<Begun> {
    if (!beginsTurn(request)) {
      const turn = this.#turns.begin(sessionId, promptOf(request), []);
      const stop = this.#looseStops.take(resultsAtEnd(request));
      if (stop !== undefined) turn.stop = { reason: stop };
      return { turn };
    }
    const prompt = promptOf(request);
    const contexts = await this.#sessions.begin(sessionId);
    return this.#answers.admit({ sessionId, prompt }, signal, ({ result }) => {
      const { context: added, message } = result?.verdict ?? {};
      const all = added === undefined ? contexts : [...contexts, added];
      const turn = this.#turns.begin(sessionId, prompt, all);
      if (message !== undefined) turn.notes.add(message);
      return turn;
    });
  }
}
