import type { ToolInput } from '../../../machines/tool-call.ts';
import type {
  NeutralMessage,
  NeutralPart,
  NeutralRequest,
  NeutralResponse,
} from '../../core/calls/run-model-call.ts';
import type { OpenKeptCall } from '../../core/calls/call-keeper.ts';
import type { OpenToolCall, ToolCallVerdict } from '../../core/calls/open-tool-call.ts';
import type { StopRequest } from '../../core/calls/tool-effects.ts';
import { isKept, isSame } from './run-tool.ts';

/** A tool call that was judged and has not run yet. */
export interface JudgedCall {
  readonly call: OpenToolCall | OpenKeptCall;
  /** The arguments that it is to run with, if they can be compared; if it is not to run, those asked for. */
  readonly input: ToolInput | undefined;
  /** Absent while hooks judge it. */
  readonly verdict?: ToolCallVerdict;
  /** Whether the user must be asked; present only if the framework wanted to ask by itself. */
  readonly question?: Promise<boolean>;
  /** The arguments of a hook that answered in the user's place, if they replace those already shown. */
  readonly permitted?: ToolInput;
}

/** A judged call with its turn. */
export interface OpenJudgedCall extends JudgedCall {
  readonly turn: Turn;
}

/** One turn of an agent that a framework runs: from the user's message to an answer without tool calls. */
export interface Turn {
  readonly sessionId: string;
  readonly prompt: string;
  /** What BeforeAgent and SessionStart hooks add to the prompt, in every request of the turn. */
  readonly contexts: readonly string[];
  /** What hooks say to the model in its next request. */
  readonly notes: Set<string>;
  /**
   * What AfterAgent hooks put into the conversation, and after how many messages: the framework does not know
   * of it.
   */
  readonly insertions: { readonly at: number; readonly messages: readonly NeutralMessage[] }[];
  /** The judged calls by id. */
  readonly open: Map<string, JudgedCall>;
  /** All tool calls of the last answer. */
  callIds: readonly string[];
  rejections: number;
  stop?: StopRequest | undefined;
  /** Its machine, unless that has ended. */
  run?: RunOfTurn | undefined;
}

/** The machine of a turn, as far as the turn must know it. */
interface RunOfTurn {
  /** A tool call of the last answer has ended. */
  ended(id: string, stop: StopRequest | undefined): void;
  /** Nothing of the turn follows. */
  leave(reason: string): void;
}

/**
 * How many turns may be under way. Beyond that the oldest is given up: its framework may never continue it.
 */
const mostTurns = 1_000;

/**
 * The turns under way. A turn is recognized by the ids of the tool results at the end of a request, because
 * one wrapped agent serves many runs at once.
 */
export class Turns {
  readonly #byCall = new Map<string, Set<Turn>>();
  readonly #all = new Set<Turn>();

  begin(sessionId: string, prompt: string, contexts: readonly string[]): Turn {
    const turn: Turn = {
      sessionId,
      prompt,
      contexts,
      notes: new Set(),
      insertions: [],
      open: new Map(),
      callIds: [],
      rejections: 0,
    };
    this.#all.add(turn);
    if (this.#all.size > mostTurns)
      for (const oldest of this.#all) {
        this.leave(oldest, 'its run did not continue');
        break;
      }
    return turn;
  }

  /** The turn that a request continues: the one that asked for all the results at its end. */
  continuedBy(request: NeutralRequest): Turn | undefined {
    const ids = resultsAtEnd(request);
    const [first] = ids;
    if (first === undefined) return undefined;
    const known = [...(this.#byCall.get(first) ?? [])].filter(({ callIds }) =>
      ids.every((id) => callIds.includes(id)),
    );
    const prompt = promptOf(request);
    return known.find((turn) => turn.prompt === prompt) ?? known[0];
  }

  /**
   * Gives up what earlier turns of this conversation left open: their results exist but did not come through
   * us.
   */
  endThoseBefore(request: NeutralRequest): void {
    if (this.#byCall.size === 0) return;
    for (const { parts } of request.messages)
      for (const { result } of parts)
        for (const turn of (result && this.#byCall.get(result.id)) ?? [])
          if (wasSaid(request, turn.prompt)) this.end(turn, 'it did not run');
  }

  /** Records the tool calls of the turn's last answer; those of the answer before it are over. */
  wants(turn: Turn, callIds: readonly string[]): void {
    this.#forgetCalls(turn, 'it did not run');
    turn.callIds = callIds;
    for (const id of callIds) {
      const turns = this.#byCall.get(id) ?? new Set();
      this.#byCall.set(id, turns.add(turn));
    }
  }

  /** The turn that asked for a call; if several did, the one for which `fits` holds. */
  wanting(callId: string, fits: (turn: Turn) => boolean): Turn | undefined {
    const turns = [...(this.#byCall.get(callId) ?? [])];
    return turns.find(fits) ?? turns[0];
  }

  /**
   * The stop of the turn that asked for a call; if several did, undefined as long as one of them continues.
   */
  stopOf(callId: string): StopRequest | undefined {
    const turns = [...(this.#byCall.get(callId) ?? [])];
    return turns.every(({ stop }) => stop) ? turns[0]?.stop : undefined;
  }

  areNone(): boolean {
    return this.#all.size === 0;
  }

  has(turn: Turn): boolean {
    return this.#all.has(turn);
  }

  /** The judged call of a tool with these arguments, for frameworks that do not say which call they ask about. */
  like(name: string, input: ToolInput): OpenJudgedCall | undefined {
    for (const turn of this.#all)
      for (const judged of turn.open.values())
        if (judged.call.request.name === name && isSame(judged.input, input))
          return { ...judged, turn };
    return undefined;
  }

  /** Ends a turn: its open calls are cancelled, and nothing of it is kept. */
  end(turn: Turn, reason: string): void {
    this.#forgetCalls(turn, reason);
    this.#all.delete(turn);
    turn.run?.leave(reason);
  }

  /** Ends a turn whose kept calls go on waiting. */
  leave(turn: Turn, reason: string): void {
    for (const [id, { call }] of turn.open)
      if (isKept(call)) {
        call.leave();
        turn.open.delete(id);
      }
    this.end(turn, reason);
  }

  leaveAll(reason: string): void {
    for (const turn of this.#all) this.leave(turn, reason);
  }

  #forgetCalls(turn: Turn, reason: string): void {
    for (const { call } of turn.open.values()) void call.cancel(reason);
    turn.open.clear();
    for (const id of turn.callIds) {
      const turns = this.#byCall.get(id);
      turns?.delete(turn);
      if (turns?.size === 0) this.#byCall.delete(id);
    }
    turn.callIds = [];
  }
}

/** The ids of the tool results that a request ends with. */
export function resultsAtEnd({ messages }: NeutralRequest): string[] {
  const start = messages.findLastIndex(({ parts }) => !parts.some(({ result }) => result)) + 1;
  return messages
    .slice(start)
    .flatMap(({ parts }) => parts.flatMap(({ result }) => result?.id ?? []));
}

/** Whether a request begins a turn: it ends with what the user said. */
export const beginsTurn = ({ messages }: NeutralRequest): boolean => {
  const last = messages.at(-1);
  return last?.role === 'user' && !last.parts.some(({ result }) => result);
};

/** The user's last message. */
export const promptOf = ({ messages }: NeutralRequest): string =>
  textOf(messages[placeOfPrompt(messages)]?.parts ?? []);

const placeOfPrompt = (messages: readonly NeutralMessage[]): number =>
  messages.findLastIndex(
    ({ role, parts }) =>
      role === 'user' && !parts.some(({ result }) => result) && textOf(parts) !== '',
  );

const wasSaid = ({ messages }: NeutralRequest, prompt: string): boolean =>
  messages.some(({ role, parts }) => role === 'user' && textOf(parts) === prompt);

/** The texts of a message, joined. */
export const textOf = (parts: readonly NeutralPart[]): string =>
  parts.map(({ text }) => text ?? '').join('');

/**
 * The request with what hooks added to its turn: the framework builds each request from its own conversation.
 */
export function withTurn(request: NeutralRequest, turn: Turn): NeutralRequest {
  const { contexts, insertions, notes } = turn;
  if (contexts.length === 0 && insertions.length === 0 && notes.size === 0) return request;
  const messages = [...request.messages];
  for (const { at, messages: inserted } of insertions.toReversed())
    messages.splice(at, 0, ...inserted);
  const place = contexts.length > 0 ? placeIn(messages, turn.prompt) : -1;
  if (place !== -1) {
    const { role, parts } = messages[place]!;
    const added = contexts.map((text) => ({ text: `\n\n${text}` }));
    messages[place] = { role, parts: [...parts, ...added] };
  }
  const system = [request.system, ...notes].filter((text) => text !== undefined);
  return { ...request, messages, ...(system.length > 0 && { system: system.join('\n\n') }) };
}

const placeIn = (messages: readonly NeutralMessage[], prompt: string): number =>
  messages.findLastIndex(({ role, parts }) => role === 'user' && textOf(parts) === prompt);

/** An answer that consists of one text. */
export const saying = (text: string): NeutralResponse => ({
  parts: [{ text }],
  finishReason: 'STOP',
});
