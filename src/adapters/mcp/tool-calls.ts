import { types } from 'node:util';
import type { ToolInput } from '../../../machines/tool-call.ts';
import { argumentChanges, type HookChange, resultChanges } from '../../agent/loop/hook-changes.ts';
import type { EndedToolCall, ToolCallQuestion } from '../../core/calls/run-tool-call.ts';
import { refusalOf } from '../../core/calls/tool-choice.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { warn } from '../../base/log.ts';
import type { GenAIRequest } from '../../core/translate/genai-types.ts';
import { answerWith, lineOf, ownResult, resultFor } from './call-answer.ts';
import { GuardedCall } from './guarded-call.ts';
import { withMember } from './json-text.ts';
import { idOf, keyOf, type Message, objectIn } from './message.ts';
import type { OpenRequests } from './open-requests.ts';
import type { Questions } from './questions.ts';
import type { McpSession } from './session.ts';
import { taskIn, type Tasks } from './tasks.ts';
import type { ToolSelection } from './tool-selection.ts';
import { isRecord, mostBytes, overSize } from '../../base/json.ts';

interface ToolCallsOptions {
  readonly config: HookSystemConfig;
  readonly session: McpSession;
  readonly selection: ToolSelection;
  readonly questions: Questions;
  readonly tasks: Tasks;
  readonly open: OpenRequests;
  readonly toClient: (line: Buffer) => void;
  readonly toServer: (line: Buffer) => void;
  /** Receives what hooks changed in a call. */
  readonly onChanges?: ((changes: readonly HookChange[]) => void) | undefined;
}

/** The tool calls of a connection, from the request to the answer. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  #stopReason: string | undefined;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  /** From now on, every call is answered with the reason. */
  stop(reason: string): void {
    this.#stopReason ??= reason;
  }

  /** Takes a call through its hooks, and to the server if they let it. Resolves when the request is answered. */
  take(message: Message, name: string): Promise<void> {
    const { open, tasks, toClient } = this.#options;
    const call = this.#begin(message, name);
    return new Promise((resolve, reject) => {
      let answer: Message | undefined;
      open.add(message, {
        call,
        answered: (given) => {
          // Nobody has asked for it yet, so it must not stand in for what the hooks decide.
          if (!call.isSent) return this.#tooEarly(given);
          const taskId = wantsTask(message) ? taskIn(given) : undefined;
          if (taskId === undefined || answer) {
            // A second answer does not count: hooks have not looked at it.
            answer ??= given;
            return call.answer(answer);
          }
          open.close(message);
          tasks.keep(taskId, call);
          toClient(given.bytes);
          resolve();
        },
        abandoned: (why) => call.abandon(why),
      });
      this.#answered(message, call, () => answer).then(resolve, reject);
    });
  }

  /** Hands in the result of a call that the server ran as a task; it may be fetched more than once. */
  async fetched(call: GuardedCall, answer: Message): Promise<void> {
    call.answer(answer);
    const ended = await call.ended;
    this.#options.toClient(
      call.isWithdrawn ? resultFor(idOf(answer), ownResult(ended)) : answerWith(ended, answer),
    );
  }

  /** Answers a call that has ended, unless it continues as a task or its client has withdrawn it. */
  async #answered(
    message: Message,
    call: GuardedCall,
    answerOf: () => Message | undefined,
  ): Promise<void> {
    const { open, tasks, toClient } = this.#options;
    const ended = await call.ended;
    this.#report(call, ended);
    if (tasks.has(call)) return;
    const answer = answerOf();
    open.finish(message);
    if (!call.isWithdrawn)
      toClient(answer ? answerWith(ended, answer) : this.#ownAnswer(message, call, ended));
  }

  #begin(message: Message, name: string): GuardedCall {
    const { config, questions, toServer } = this.#options;
    const { arguments: given } = objectIn(message.value, 'params');
    const input: ToolInput = isRecord(given) ? given : {};
    return new GuardedCall(
      { id: keyOf(message.value['id']), name, input },
      {
        config,
        refusal: this.#refusalOf(name, given, message.bytes.length),
        ask: questions.canAsk ? (question, signal) => this.#ask(question, signal) : undefined,
        send: (toolInput) => {
          const { bytes, text } = message;
          if (toolInput === input) return toServer(bytes);
          const json = JSON.stringify(toolInput);
          toServer(lineOf(withMember(text, ['params', 'arguments'], json)));
        },
      },
    );
  }

  async #ask(question: ToolCallQuestion, signal: AbortSignal): Promise<boolean> {
    const { session, questions } = this.#options;
    await session.announce(question, signal);
    return questions.ask(question, signal);
  }

  /**
   * Why a tool may not be called now. Hooks must see what the server gets, so arguments that are not an
   * object are refused.
   */
  #refusalOf(
    name: string,
    given: unknown,
    size: number,
  ): string | undefined | Promise<string | undefined> {
    if (size > mostBytes) return `${name} was not run: the call ${overSize}.`;
    if (given !== undefined && given !== null && !isRecord(given))
      return `${name} was not run: its arguments must be a JSON object.`;
    const begun = this.#options.session.beginning();
    const selected = this.#options.selection.current();
    const refusal = (request: GenAIRequest): string | undefined =>
      this.#stopReason ?? refusalOf(name, request);
    if (begun === undefined && !types.isPromise(selected)) return refusal(selected);
    return Promise.all([selected, begun]).then(([request]) => refusal(request));
  }

  /** A client that wanted a task gets one, because it would not read anything else. */
  #ownAnswer(message: Message, call: GuardedCall, ended: EndedToolCall): Buffer {
    const { tasks } = this.#options;
    const id = idOf(message);
    const result = ownResult(ended);
    const isTask = !call.isSent && wantsTask(message);
    return resultFor(id, isTask && tasks.areKnown ? tasks.invent(result) : result);
  }

  #tooEarly({ value }: Message): void {
    warn(
      this.#options.config.onWarning,
      `an answer was not passed on, because the call with its id ${String(value['id'])} had not been sent to the server`,
    );
  }

  #report(call: GuardedCall, ended: EndedToolCall): void {
    const { config, onChanges } = this.#options;
    const { request } = call;
    onChanges?.([
      ...argumentChanges({ ...ended, request }),
      ...resultChanges({ ...ended, request }),
    ]);
    if (ended.notice !== undefined) warn(config.onWarning, `a hook says: ${ended.notice}`);
    // A call that is deferred does not stop the others.
    if (ended.stop === undefined || ended.outcome.status === 'deferred') return;
    this.stop(ended.stop.reason);
    warn(config.onWarning, `a hook stops the agent: ${ended.stop.reason}`);
  }
}

const wantsTask = ({ value }: Message): boolean => isRecord(objectIn(value, 'params')['task']);
