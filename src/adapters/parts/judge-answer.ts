import type { ToolInput } from '../../../machines/tool-call.ts';
import { beginToolCall } from '../../core/calls/open-tool-call.ts';
import type {
  EndedNeutralCall,
  NeutralPart,
  NeutralResponse,
} from '../../core/calls/run-model-call.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { DurableCalls } from './durable-calls.ts';
import type { Conditions } from './framework-call.ts';
import type { Questions } from './questions.ts';
import type { Turn, Turns } from './turns.ts';

/** What the tool calls of an answer are judged with. */
interface Judging {
  readonly config: HookSystemConfig;
  readonly turns: Turns;
  readonly questions: Questions;
  readonly durable: DurableCalls | undefined;
  /** The name by which hooks know a tool. */
  readonly nameOf: (toolName: string) => string;
  /** Whether a hook matches a tool, whose calls are then judged. */
  readonly judgesTool: (toolName: string) => boolean;
}

/** Judges the tool calls of a model's answer, which stay open until the framework has run them. */
export class JudgeAnswer {
  readonly #config: HookSystemConfig;
  readonly #turns: Turns;
  readonly #questions: Questions;
  readonly #durable: DurableCalls | undefined;
  readonly #nameOf: Judging['nameOf'];
  readonly #judgesTool: Judging['judgesTool'];

  constructor({ config, turns, questions, durable, nameOf, judgesTool }: Judging) {
    this.#config = config;
    this.#turns = turns;
    this.#questions = questions;
    this.#durable = durable;
    this.#nameOf = nameOf;
    this.#judgesTool = judgesTool;
  }

  /** Judges the tool calls of an answer in parallel; rewritten calls are new parts. */
  async judged(
    turn: Turn,
    response: NeutralResponse,
    answered: EndedNeutralCall,
    how: Conditions,
  ): Promise<NeutralResponse> {
    this.#turns.wants(
      turn,
      response.parts.flatMap(({ call }) => call?.id ?? []),
    );
    const parts = await Promise.all(
      response.parts.map((part) => this.#judgedPart(turn, part, answered, how)),
    );
    if (turn.stop) {
      this.#openOthers(turn, parts, how);
      await this.cancelUnbegun(turn);
    }
    return { ...response, parts };
  }

  /** Opens the calls of an answer that no hook has judged. */
  #openOthers(turn: Turn, parts: readonly NeutralPart[], { signal, judges }: Conditions): void {
    const { sessionId, open } = turn;
    for (const { call } of parts) {
      if (call === undefined || open.has(call.id) || judges?.(call.name) === false) continue;
      const { id, name, input } = call;
      const request = { id, name: this.#nameOf(name), input };
      open.set(id, { call: beginToolCall(this.#config, request, { signal, sessionId }), input });
    }
  }

  /** Cancels the calls that have not begun when a hook stops the agent. */
  async cancelUnbegun(turn: Turn): Promise<void> {
    for (const [id, { call, input }] of turn.open) {
      const { status } = await call.verdict;
      // It may have begun in the meantime.
      if (status === 'ended' || turn.open.get(id)?.call !== call) continue;
      const ended = await call.cancel(stoppedBefore);
      turn.open.set(id, { call, input, verdict: { status: 'ended', call: ended } });
    }
  }

  async #judgedPart(
    turn: Turn,
    part: NeutralPart,
    answered: EndedNeutralCall,
    { signal, canAsk, judges }: Conditions,
  ): Promise<NeutralPart> {
    if (part.call === undefined || judges?.(part.call.name) === false) return part;
    const { id, name, input } = part.call;
    const notOffered = answered.refusal(name) && answered.refusal(this.#nameOf(name));
    if (notOffered === undefined && !this.#judgesTool(name)) return part;
    const request = { id, name: this.#nameOf(name), input };
    const { sessionId } = turn;
    const told = { signal, sessionId, notOffered };
    const call = this.#durable
      ? this.#durable.open(request, { ...told, isNew: true })
      : beginToolCall(this.#config, request, {
          ...told,
          canAsk: typeof canAsk === 'function' ? canAsk(name) : canAsk,
        });
    turn.open.set(id, { call, input });
    const verdict = await call.verdict;
    if (verdict.status === 'ended') {
      turn.open.set(id, { call, input, verdict });
      if (verdict.call.stop) turn.stop = verdict.call.stop;
      return part;
    }
    if (verdict.status === 'asked' && !this.#durable)
      await this.#questions.announce(turn, request.name, verdict, signal);
    // A copy, by which a call shows whose arguments were changed after this.
    turn.open.set(id, { call, input: copyOf(verdict.toolInput), verdict });
    return verdict.toolInput === input
      ? part
      : { ...part, call: { id, name, input: verdict.toolInput } };
  }
}

/** Undefined for what cannot be copied; nothing equals that, so such a call is judged again. */
function copyOf(input: ToolInput): ToolInput | undefined {
  try {
    return structuredClone(input);
  } catch {
    return undefined;
  }
}

export const stoppedBefore = 'a hook stopped the agent before this call began';
