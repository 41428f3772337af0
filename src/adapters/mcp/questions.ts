import { randomUUID } from 'node:crypto';
import type { ToolCallQuestion } from '../../core/calls/run-tool-call.ts';
import { isRecord } from '../../base/json.ts';
import { keyOf, type Message, messageWith, objectIn } from './message.ts';

/** How much of a call's arguments is shown, in characters. */
const longestShown = 2_000;

type Answer = (approved: boolean) => void;

/** Asks the user, through a client that declared that it can be asked (`elicitation/create`). */
export class Questions {
  readonly #send: (line: Buffer) => void;
  readonly #open = new Map<string, Answer>();
  #canAsk = false;

  constructor(send: (line: Buffer) => void) {
    this.#send = send;
  }

  get canAsk(): boolean {
    return this.#canAsk;
  }

  /**
   * Reads what a client declares with `initialize`; a client that names no kind of question supports forms.
   */
  heed(initialize: Message): void {
    const { elicitation } = objectIn(objectIn(initialize.value, 'params'), 'capabilities');
    this.#canAsk = isRecord(elicitation) && ('form' in elicitation || !('url' in elicitation));
  }

  /** Asks whether a tool may run; anything but a clear yes is a no. Aborting withdraws the question. */
  ask(question: ToolCallQuestion, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || !this.#canAsk) return Promise.resolve(false);
    const id = `hookmachine:${randomUUID()}`;
    return new Promise((resolve) => {
      const withdraw = (): void => {
        const params = { requestId: id, reason: 'The tool call was cancelled.' };
        this.#send(messageWith({ method: 'notifications/cancelled', params }));
        settle(false);
      };
      const settle: Answer = (approved) => {
        signal.removeEventListener('abort', withdraw);
        this.#open.delete(id);
        resolve(approved);
      };
      signal.addEventListener('abort', withdraw);
      this.#open.set(id, settle);
      const params = {
        message: textOf(question),
        requestedSchema: { type: 'object', properties: {} },
      };
      this.#send(messageWith({ id, method: 'elicitation/create', params }));
    });
  }

  /** Whether a message is the client's answer to one of our questions. */
  isAnswer({ value }: Message): boolean {
    return value['method'] === undefined && this.#open.has(keyOf(value['id']));
  }

  /** Takes the client's answer, if it answers one of our questions. */
  take({ value }: Message): boolean {
    const settle = value['method'] === undefined ? this.#open.get(keyOf(value['id'])) : undefined;
    settle?.(objectIn(value, 'result')['action'] === 'accept');
    return settle !== undefined;
  }

  /** Closes all questions, because nobody answers any more. */
  close(): void {
    this.#canAsk = false;
    for (const settle of this.#open.values()) settle(false);
  }
}

function textOf({ name, input, reason }: ToolCallQuestion): string {
  const json = JSON.stringify(input);
  const shown = json.length > longestShown ? `${json.slice(0, longestShown)}…` : json;
  return [...(reason === undefined ? [] : [reason]), `May ${name} run with ${shown}?`].join('\n\n');
}
