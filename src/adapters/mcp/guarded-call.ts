import { types } from 'node:util';
import type { ToolInput } from '../../../machines/tool-call.ts';
import {
  type EndedToolCall,
  runToolCall,
  type ToolCallQuestion,
  type ToolCallRequest,
} from '../../core/calls/run-tool-call.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { ToolResult } from '../../core/protocol/tool-result.ts';
import { messageIn } from './call-answer.ts';
import { toToolResult } from './call-result.ts';
import type { Message } from './message.ts';

/** What a call needs besides its request. */
export interface GuardedCallOptions {
  readonly config: HookSystemConfig;
  /** Why the tool may not be called, for the model; a promise while that is being determined. */
  readonly refusal: string | undefined | Promise<string | undefined>;
  /** Asks the user; absent if nobody can be asked. */
  readonly ask?:
    | ((question: ToolCallQuestion, signal: AbortSignal) => Promise<boolean>)
    | undefined;
  /** Sends the call to the server with the arguments that hooks left. */
  readonly send: (toolInput: ToolInput) => void;
}

/** One call of a tool between a client and a server, as one `toolCall` machine. */
export class GuardedCall {
  readonly request: ToolCallRequest;
  /** Resolves when the server has received the call, or never will. */
  readonly judged: Promise<void>;
  /** Never rejects. */
  readonly ended: Promise<EndedToolCall>;
  readonly #abort = new AbortController();
  readonly #answered: Promise<ToolResult>;
  #settle!: (result: ToolResult) => void;
  #fail!: (error: Error) => void;
  #isSent = false;
  #isWithdrawn = false;

  constructor(request: ToolCallRequest, { config, refusal, ask, send }: GuardedCallOptions) {
    this.request = request;
    this.#answered = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    // Nobody may be waiting for it any more.
    this.#answered.catch(() => undefined);
    let judged!: () => void;
    this.judged = new Promise((resolve) => {
      judged = resolve;
    });
    const { signal } = this.#abort;
    const execute = (toolInput: ToolInput): Promise<ToolResult> => {
      this.#isSent = true;
      send(toolInput);
      judged();
      return this.#answered;
    };
    const run = (notOffered: string | undefined): Promise<EndedToolCall> =>
      runToolCall(config, request, execute, {
        signal,
        notOffered,
        asks: 'where a hook wants it',
        confirm: ask && ((question) => ask(question, signal)),
      });
    // A call that nothing holds back is sent before the client's next message is read.
    this.ended = types.isPromise(refusal) ? refusal.then(run) : run(refusal);
    void this.ended.then(judged);
  }

  /** Whether the server has received the call. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Whether the client no longer wants its result. */
  get isWithdrawn(): boolean {
    return this.#isWithdrawn;
  }

  /** Hands in the server's answer; only the first one counts. */
  answer({ value }: Message): void {
    if ('result' in value) this.#settle(toToolResult(value['result']));
    else this.#fail(new Error(messageIn(value)));
  }

  /** The client no longer wants the result: the hooks end. */
  withdraw(reason: string): void {
    this.#isWithdrawn = true;
    this.#abort.abort(reason);
  }

  /** The server will not answer. If it has received the call, hooks see a failure. */
  abandon(why: string): void {
    if (this.#isSent) this.#fail(new Error(why));
    else this.#abort.abort(why);
  }
}
