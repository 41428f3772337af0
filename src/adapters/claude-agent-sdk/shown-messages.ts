import { isRecord } from '../../base/json.ts';
import type { OpenCalls } from '../parts/open-calls.ts';
import type { Message } from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The messages of a query as its user is to see them. The SDK emits a message with tool calls before it asks
 * hooks about them, so such a message waits until its calls are judged or their results have arrived.
 * `mayChange` says whether hooks may rewrite the calls of a tool.
 */
export async function* shownMessages(
  messages: AsyncGenerator<unknown, void>,
  calls: OpenCalls,
  mayChange: (tool: string) => boolean,
): AsyncGenerator<unknown, void> {
  const held: Message[] = [];
  /** Calls whose results came before they were judged: nobody changed them. */
  const over = new Set<string>();
  const rewriting = new StreamedCalls(calls);
  let next: Promise<IteratorResult<unknown, void>> | undefined;
  const isReady = (message: Message): boolean =>
    callsIn(message).every(
      ({ id, name }) => !mayChange(name) || over.has(id) || calls.verdictOf(id) !== undefined,
    );
  for (;;) {
    for (let first = held[0]; first && isReady(first); first = held[0]) {
      held.shift();
      const shown = rewriting.shown(first);
      if (shown) yield shown;
      const results = resultsIn(first);
      for (const id of results) over.delete(id);
      calls.settle(results, 'its result did not pass through hookmachine');
    }
    next ??= messages.next();
    if (held.length > 0) {
      const isThere = await Promise.race([
        next.then(() => true),
        calls.changed().then(() => false),
      ]);
      if (!isThere) continue;
    }
    const { done, value } = await next;
    next = undefined;
    if (done) {
      for (const message of held) {
        const shown = rewriting.shown(message);
        if (shown) yield shown;
      }
      return;
    }
    const message = value as Message;
    for (const id of resultsIn(message)) over.add(id);
    held.push(message);
  }
}

/** The tool calls of a message, or the one that begins with a stream piece. */
function callsIn({
  type,
  message,
  event,
}: Message): { readonly id: string; readonly name: string }[] {
  const blocks =
    type === 'assistant' && isRecord(message) && Array.isArray(message['content'])
      ? message['content']
      : isRecord(event) && event['type'] === 'content_block_start'
        ? [event['content_block']]
        : [];
  return blocks
    .filter((block: unknown): block is Fields => isRecord(block) && block['type'] === 'tool_use')
    .map(({ id, name }) => ({ id: String(id), name: String(name) }));
}

/** The ids of the calls whose results a message holds. */
function resultsIn({ type, message }: Message): string[] {
  if (type !== 'user' || !isRecord(message) || !Array.isArray(message['content'])) return [];
  return message['content'].flatMap((block: unknown) =>
    isRecord(block) && block['type'] === 'tool_result' ? [String(block['tool_use_id'])] : [],
  );
}

/** Shows calls with the arguments that hooks left, in whole messages and in the pieces of a stream. */
class StreamedCalls {
  readonly #calls: OpenCalls;
  /**
   * The arguments still to be shown, by the block's place in the message that streams; '' once they were
   * shown.
   */
  readonly #pieces = new Map<unknown, string>();

  constructor(calls: OpenCalls) {
    this.#calls = calls;
  }

  /** The message to show; undefined for a piece whose content another piece carries. */
  shown(message: Message): Message | undefined {
    const { type, event } = message;
    if (type === 'assistant') return this.#whole(message);
    if (type !== 'stream_event' || !isRecord(event)) return message;
    if (event['type'] === 'message_start') this.#pieces.clear();
    const [call] = callsIn(message);
    const input = call && this.#inputOf(call.id);
    if (input) this.#pieces.set(event['index'], JSON.stringify(input));
    const { delta } = event;
    const left = this.#pieces.get(event['index']);
    if (!isRecord(delta) || delta['type'] !== 'input_json_delta' || left === undefined)
      return message;
    if (left === '') return undefined;
    this.#pieces.set(event['index'], '');
    return { ...message, event: { ...event, delta: { ...delta, partial_json: left } } };
  }

  #whole(message: Message): Message {
    const { message: said } = message;
    if (!isRecord(said) || !Array.isArray(said['content'])) return message;
    const given: readonly unknown[] = said['content'];
    const content = given.map((block) => {
      const isCall = isRecord(block) && block['type'] === 'tool_use';
      const input = isCall ? this.#inputOf(String(block['id'])) : undefined;
      return input && input !== (block as Fields)['input']
        ? { ...(block as Fields), input }
        : block;
    });
    return content.every((block, index) => block === given[index])
      ? message
      : { ...message, message: { ...said, content } };
  }

  #inputOf(id: string): Fields | undefined {
    const verdict = this.#calls.verdictOf(id);
    return verdict === undefined || verdict.status === 'ended' ? undefined : verdict.toolInput;
  }
}
