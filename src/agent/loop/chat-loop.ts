import {
  aConfig,
  anyText,
  assertArgument,
  assertArguments,
  callback,
  count,
  flag,
  having,
  list,
  object,
  oneOf,
  optional,
  positive,
  type Rule,
  someTools,
} from '../../base/arguments.ts';
import { HookmachineError } from '../../base/errors.ts';
import { onAbort } from '../../core/run/run-machine.ts';
import type { HookEventFields } from '../../core/protocol/input.ts';
import type { GenAIContent } from '../../core/translate/genai-types.ts';
import { compressHistory } from './compress-history.ts';
import type { ChatEvent } from './chat-events.ts';
import type { ChatLoopOptions, ChatSession } from './chat-session.ts';
import { ChatTurn } from './chat-turn.ts';
import { EventQueue } from './event-queue.ts';
import { withdrawAll } from './kept-calls.ts';
import { fireSessionEvent } from './session-events.ts';
import { declareTools } from './tool-declarations.ts';
import { toolsByName } from './offered-tools.ts';
import { promptOf, unansweredCalls } from './unanswered-calls.ts';

export type { ChatLoopOptions };

const optionRules: Readonly<Record<string, Rule>> = {
  config: aConfig,
  model: having('pass a model, such as createModel makes', 'generate'),
  tools: optional(someTools),
  systemInstruction: optional(anyText),
  generationConfig: optional(object),
  maxSteps: optional(positive),
  toolLimit: optional(count),
  display: optional(oneOf('held', 'live')),
  onTextWaits: optional(callback),
  maxRejections: optional(count),
  confirm: optional(callback),
  durable: optional(having('pass what connectDurable returns', 'open')),
  allowGuardWrites: optional(flag),
  compressAt: optional(positive),
  history: optional(list),
};

/**
 * An agent session: prompt in, events out. Each turn is an `agentTurn` machine, which runs a
 * `modelCall` machine for every model call and a `toolCall` machine for every tool call.
 *
 * @example
 * const chat = new ChatLoop({ config, model, tools: builtInTools() });
 * for await (const event of chat.run('Tidy up')) if (event.type === 'text') show(event.text);
 */
export class ChatLoop {
  readonly #session: ChatSession;
  #abort: AbortController | undefined;

  constructor(options: ChatLoopOptions) {
    assertArguments('ChatLoop', options, optionRules);
    const tools = toolsByName(options.tools ?? []);
    this.#session = {
      options,
      tools,
      declarations: declareTools(tools),
      history: [...(options.history ?? [])],
      notes: new Set(),
      contexts: [],
      tokens: 0,
      beginning: options.history?.length ? 'resume' : 'startup',
      hasBegun: false,
      saidWhyTextWaits: false,
    };
  }

  /**
   * The conversation as the model will receive it: with responses as hooks left them, and without what hooks
   * added to requests.
   */
  get history(): readonly GenAIContent[] {
    return this.#session.history;
  }

  /**
   * Runs one turn. It runs to its end even if its events are read late; leaving the iteration early cancels
   * it. It never rejects because of what a model, a tool or a hook does.
   *
   * @throws {HookmachineError} `TURN_RUNNING` while another turn runs, `TURN_SUSPENDED` while tool calls wait
   *   for answers
   */
  run(prompt: string, { signal }: { signal?: AbortSignal } = {}): AsyncIterable<ChatEvent> {
    assertArgument('ChatLoop.run: the prompt', prompt, anyText);
    this.#assertNotSuspended();
    return this.#turn((turn) => turn.run(prompt), signal);
  }

  /**
   * Whether tool calls of the conversation wait for answers that may come after this process has ended: see
   * `resume`.
   */
  get isSuspended(): boolean {
    const { options, history } = this.#session;
    return options.durable !== undefined && unansweredCalls(history).length > 0;
  }

  /**
   * Continues a turn that ended as `suspended`, here or in another process that was given its `history`.
   * Calls that were answered run to their ends, and the model continues once all of them have; while one
   * still waits, the turn ends as `suspended` again.
   *
   * @throws {HookmachineError} `TURN_RUNNING` while another turn runs, `NOT_SUSPENDED` if no call waits
   * @example
   * const chat = new ChatLoop({ config, model, tools, durable, history: JSON.parse(saved) });
   * for await (const event of chat.resume()) if (event.type === 'text') show(event.text);
   */
  resume({ signal }: { signal?: AbortSignal } = {}): AsyncIterable<ChatEvent> {
    const { history } = this.#session;
    if (!this.isSuspended)
      throw new HookmachineError(
        'NOT_SUSPENDED',
        'No tool call of this conversation is waiting for an answer: run a prompt.',
      );
    return this.#turn((turn) => turn.run(promptOf(history), unansweredCalls(history)), signal);
  }

  #assertNotSuspended(): void {
    if (!this.isSuspended) return;
    throw new HookmachineError(
      'TURN_SUSPENDED',
      'Tool calls of this conversation are waiting for answers: resume the turn first, or clear the conversation.',
    );
  }

  #turn(
    begin: (turn: ChatTurn) => Promise<ChatEvent>,
    signal: AbortSignal | undefined,
  ): AsyncIterable<ChatEvent> {
    if (this.#abort)
      throw new HookmachineError(
        'TURN_RUNNING',
        'A turn is already running: read its events to the end first.',
      );
    const abort = (this.#abort = new AbortController());
    const events = new EventQueue<ChatEvent>(() => {
      abort.abort('the turn is no longer being read');
      return ended;
    });
    const forward = (): void => abort.abort(signal?.reason);
    if (signal?.aborted) forward();
    const stopForwarding = signal && onAbort(signal, forward);
    const turn = new ChatTurn(this.#session, abort, (...emitted) => events.push(...emitted));
    const finish = (last: ChatEvent): void => {
      stopForwarding?.();
      // Before the last event, because its reader may begin the next turn.
      this.#abort = undefined;
      events.push(last);
      events.end();
    };
    const ended = begin(turn).then(finish);
    return events;
  }

  /**
   * Cancels the running turn: hooks, tools and the model call are stopped, and the events end with
   * `cancelled`.
   */
  cancel(reason = 'cancelled'): void {
    this.#abort?.abort(reason);
  }

  /**
   * Ends the session: SessionEnd hooks run once, and their messages for the user are returned. No hook can
   * keep the session from ending.
   */
  async end(reason: HookEventFields['SessionEnd']['reason'] = 'exit'): Promise<ChatEvent[]> {
    const emitted: ChatEvent[] = [];
    const session = this.#session;
    // A session that had no turn never began.
    if (!session.hasBegun) return emitted;
    session.hasBegun = false;
    session.beginning = session.history.length > 0 ? 'resume' : 'startup';
    await fireSessionEvent(session, 'SessionEnd', { reason }, reason, (...events) =>
      emitted.push(...events),
    );
    return emitted;
  }

  /**
   * Forgets the conversation: the session ends, and a new one begins with the next turn. Questions that wait
   * for an answer are withdrawn.
   */
  async clear(): Promise<ChatEvent[]> {
    const emitted = await this.end('clear');
    const { options, history } = this.#session;
    if (options.durable)
      await withdrawAll(options.durable, unansweredCalls(history), 'The conversation was cleared.');
    this.#session.history.length = 0;
    this.#session.contexts.length = 0;
    this.#session.tokens = 0;
    this.#session.notes.clear();
    this.#session.beginning = 'clear';
    return emitted;
  }

  /**
   * Replaces the conversation with the model's summary of it. PreCompress hooks run first; the session then
   * begins again, as compressed. If there is no summary, everything stays as it is.
   *
   * @throws {HookmachineError} `TURN_SUSPENDED` while tool calls wait for answers
   */
  async compress(
    trigger: HookEventFields['PreCompress']['trigger'] = 'manual',
  ): Promise<ChatEvent[]> {
    this.#assertNotSuspended();
    const emitted: ChatEvent[] = [];
    await compressHistory(this.#session, trigger, (...events) => emitted.push(...events));
    return emitted;
  }
}
