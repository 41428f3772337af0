import { types } from 'node:util';
import type { HookChange } from '../../agent/loop/hook-changes.ts';
import { refusalOf } from '../../core/calls/tool-choice.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { warn } from '../../base/log.ts';
import { messageOf } from '../../base/message-of.ts';
import { isRecord } from '../../base/json.ts';
import type { GenAIRequest } from '../../core/translate/genai-types.ts';
import { errorFor, lineOf, resultFor } from './call-answer.ts';
import { withItems } from './json-text.ts';
import { idOf, isAnswer, isRequest, type Message, objectIn, readLine } from './message.ts';
import { OpenRequests, type OpenRequest } from './open-requests.ts';
import { Questions } from './questions.ts';
import { McpSession } from './session.ts';
import { Tasks } from './tasks.ts';
import { ToolCalls } from './tool-calls.ts';
import { ToolSelection } from './tool-selection.ts';

export interface McpProxyOptions {
  readonly config: HookSystemConfig;
  /** Makes the names that hooks see `mcp__NAME__tool`; default: the server's own names. */
  readonly serverName?: string | undefined;
  readonly toClient: (line: Buffer) => void;
  readonly toServer: (line: Buffer) => void;
  /** Receives what hooks changed in a call. */
  readonly onChanges?: ((changes: readonly HookChange[]) => void) | undefined;
}

type TakeAnswer = (answer: Message) => void;

/** Stands between a client and a server: tool calls go through hooks, everything else passes as it came. */
export class McpProxy {
  readonly #options: McpProxyOptions;
  readonly #session: McpSession;
  readonly #selection: ToolSelection;
  readonly #questions: Questions;
  readonly #calls: ToolCalls;
  readonly #tasks = new Tasks();
  readonly #open = new OpenRequests();
  readonly #running = new Set<Promise<void>>();
  #goneWhy: string | undefined;

  constructor(options: McpProxyOptions) {
    this.#options = options;
    const { config } = options;
    this.#session = new McpSession(config);
    this.#questions = new Questions(options.toClient);
    this.#selection = new ToolSelection(config, ({ shouldStop, stopReason, systemMessage }) => {
      if (shouldStop) this.#calls.stop(stopReason ?? 'A hook stops the agent.');
      if (systemMessage !== undefined) warn(config.onWarning, `a hook says: ${systemMessage}`);
    });
    this.#calls = new ToolCalls({
      ...options,
      session: this.#session,
      selection: this.#selection,
      questions: this.#questions,
      tasks: this.#tasks,
      open: this.#open,
    });
  }

  /** Takes a line from the client. */
  fromClient(line: Buffer): void {
    const { messages, isBatch } = readLine(line);
    if (messages.length === 0) this.#refuseLine(line);
    else if (isBatch && !messages.some((message) => this.#isForUs(message)))
      this.#options.toServer(line);
    else for (const message of messages) this.#takeFromClient(message);
  }

  /** Takes a line from the server. */
  fromServer(line: Buffer): void {
    const { messages, isBatch } = readLine(line);
    const isGuarded = (message: Message): boolean =>
      this.#openFor(message) !== undefined || this.#open.isOver(message);
    if (messages.length === 0 || (isBatch && !messages.some(isGuarded)))
      this.#options.toClient(line);
    else for (const message of messages) this.#takeFromServer(message);
  }

  /** Resolves when the server has received every call that hooks let through. */
  async judged(): Promise<void> {
    await Promise.all(this.#open.all().flatMap(({ call }) => call?.judged ?? []));
  }

  /** Resolves when every request is answered. */
  async settled(): Promise<void> {
    await this.#open.empty();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** The client sends nothing more: nobody can be asked, and no result can be fetched. */
  clientEnded(): void {
    this.#questions.close();
    const fetched = new Set(this.#open.all().map(({ fetches }) => fetches));
    for (const call of this.#tasks.calls())
      if (!fetched.has(call)) call.withdraw('the client has gone');
  }

  /** The client no longer reads: all calls end. */
  withdrawAll(reason: string): void {
    this.#questions.close();
    for (const { call } of this.#open.all()) call?.withdraw(reason);
    for (const call of this.#tasks.calls()) call.withdraw(reason);
  }

  /** The server sends nothing more: everyone who waits for it is told. */
  serverEnded(why: string): void {
    this.#goneWhy = why;
    for (const request of this.#open.all()) request.abandoned(why);
    for (const call of this.#tasks.calls()) call.withdraw(why);
  }

  /** Fires SessionEnd. */
  end(): Promise<void> {
    return this.#session.end();
  }

  /** Whether a message from the client must not pass unseen. */
  #isForUs(message: Message): boolean {
    const { method } = message.value;
    return (
      this.#questions.isAnswer(message) ||
      (typeof method === 'string' &&
        /^(?:initialize$|tools\/|tasks\/|notifications\/)/.test(method))
    );
  }

  #takeFromClient(message: Message): void {
    if (this.#questions.take(message)) return;
    if (message.value['method'] === 'tools/call') this.#takeCall(message);
    else if (isRequest(message)) this.#takeRequest(message);
    else this.#takeNotification(message);
  }

  #takeCall(message: Message): void {
    const { config } = this.#options;
    const { name } = objectIn(message.value, 'params');
    const id = message.value['id'];
    if (!isRequest(message))
      return warn(config.onWarning, 'a tool call was not passed on, because it has no id');
    if (this.#open.has(message))
      return warn(
        config.onWarning,
        `a tool call was not passed on, because its id ${String(id)} belongs to an open request`,
      );
    if (typeof name !== 'string')
      return this.#options.toClient(
        errorFor(idOf(message), -32_602, 'the call does not name its tool with a text'),
      );
    this.#run(this.#calls.take(message, this.#nameOf(name)));
    if (this.#goneWhy !== undefined) this.#open.withId(id)?.abandoned(this.#goneWhy);
  }

  /** A server may read what nobody could read here, and take it for a tool call. */
  #refuseLine(line: Buffer): void {
    const { config, toClient } = this.#options;
    if (line.toString().trim() === '') return;
    warn(config.onWarning, 'a line of the client was not passed on, because it is not JSON-RPC');
    toClient(errorFor('null', -32_700, 'this line is not JSON-RPC'));
  }

  #takeRequest(message: Message): void {
    const { toClient, toServer } = this.#options;
    const own = this.#tasks.answer(message);
    if (own) return toClient(resultFor(idOf(message), own));
    // Two requests with the same id cannot be told apart; the server may say so.
    if (!this.#open.has(message)) {
      const request = this.#requestFor(message);
      this.#open.add(message, request);
      if (this.#goneWhy !== undefined) request.abandoned(this.#goneWhy);
    }
    toServer(message.bytes);
  }

  #takeNotification({ value, bytes }: Message): void {
    const { method } = value;
    if (method === 'notifications/cancelled') {
      const { requestId, reason } = objectIn(value, 'params');
      const call = this.#open.withId(requestId)?.call;
      call?.withdraw(typeof reason === 'string' ? reason : 'cancelled by the client');
      // A server that never got the call knows nothing of it.
      if (call && !call.isSent) return;
    }
    this.#options.toServer(bytes);
    if (method === 'notifications/initialized') this.#session.begin();
  }

  #takeFromServer(message: Message): void {
    const open = this.#openFor(message);
    if (open) open.answered(message);
    else if (isAnswer(message) && this.#open.isOver(message)) return;
    else this.#options.toClient(message.bytes);
  }

  #openFor(message: Message): OpenRequest | undefined {
    return isAnswer(message) ? this.#open.withId(message.value['id']) : undefined;
  }

  /** Any request other than a tool call, until it is answered. */
  #requestFor(message: Message): OpenRequest {
    const fetches =
      message.value['method'] === 'tasks/result' ? this.#tasks.callOf(message) : undefined;
    const take = fetches
      ? (answer: Message) => this.#run(this.#calls.fetched(fetches, answer))
      : this.#answerTo(message);
    return {
      fetches,
      answered: (answer) => {
        this.#open.close(message);
        take(answer);
      },
      abandoned: (why) => {
        this.#open.close(message);
        this.#options.toClient(errorFor(idOf(message), -32_000, why));
      },
    };
  }

  /** What happens to the answer to a request. */
  #answerTo(message: Message): TakeAnswer {
    const pass: TakeAnswer = ({ bytes }) => this.#options.toClient(bytes);
    switch (message.value['method']) {
      case 'initialize':
        this.#questions.heed(message);
        return (answer) => {
          this.#tasks.heed(answer);
          pass(answer);
        };
      case 'tools/list':
        return this.#listing(message);
      case 'tasks/cancel': {
        const call = this.#tasks.callOf(message);
        return (answer) => {
          if ('result' in answer.value) call?.withdraw('cancelled by the client');
          pass(answer);
        };
      }
      default:
        return pass;
    }
  }

  /**
   * For the first page of a list, hooks are asked which tools there are; the other pages use the same answer.
   */
  #listing({ value }: Message): TakeAnswer {
    const isFurther = objectIn(value, 'params')['cursor'] !== undefined;
    const selected = isFurther ? this.#selection.current() : this.#selection.renew();
    return (answer) => this.#run(this.#list(answer, selected));
  }

  async #list(answer: Message, selected: GenAIRequest | Promise<GenAIRequest>): Promise<void> {
    this.#options.toClient(
      this.#withSelected(answer, types.isPromise(selected) ? await selected : selected),
    );
  }

  #withSelected({ bytes, text, value }: Message, selected: GenAIRequest): Buffer {
    const { tools } = objectIn(value, 'result');
    if (!Array.isArray(tools)) return bytes;
    const isKept = tools.map(
      (tool: unknown) =>
        !isRecord(tool) || refusalOf(this.#nameOf(String(tool['name'])), selected) === undefined,
    );
    return isKept.every(Boolean)
      ? bytes
      : lineOf(withItems(text, ['result', 'tools'], (index) => isKept[index]!));
  }

  /** The name by which hooks know a tool. */
  #nameOf(tool: string): string {
    const { serverName } = this.#options;
    return serverName === undefined ? tool : `mcp__${serverName}__${tool}`;
  }

  /** Keeps what is under way until it ends. */
  #run(work: Promise<void>): void {
    const { config } = this.#options;
    const guarded = work
      .catch((error: unknown) => warn(config.onWarning, `an answer was lost: ${messageOf(error)}`))
      .finally(() => this.#running.delete(guarded));
    this.#running.add(guarded);
  }
}
