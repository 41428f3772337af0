import type { NeutralMessage, NeutralPart, NeutralRequest } from '../../../core/calls/run-model-call.ts'; // prettier-ignore
import { fieldsOf, isRecord } from '../../../base/json.ts';
import type { Fields, Joiner, ModelFormat, StreamEvent, Told } from './format.ts';
import {
  allowedTools,
  changedParts,
  changedSettings,
  countOf,
  dataOf,
  hasCallIn,
  hasSameMessages,
  newId,
  parsed,
  recordsOf,
  settingsIn,
  textOf,
  textPart,
  toolConfigOf,
  withData,
  withNames,
} from './shared.ts';

const names = {
  maxOutputTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stopSequences: 'stop_sequences',
} as const;

const finishReasons: Readonly<Record<string, string>> = {
  max_tokens: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

function toPart(block: Fields): NeutralPart {
  const { type, text, id, name, input, tool_use_id: result } = block;
  if (type === 'text') return textPart(textOf(text), block);
  if (type === 'tool_use')
    return {
      call: { id: textOf(id), name: textOf(name), input: fieldsOf(input) },
      original: block,
    };
  if (type === 'tool_result') return { result: { id: textOf(result), name: '' }, original: block };
  return { original: block };
}

const toMessage = (message: Fields): NeutralMessage => {
  const { role, content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : recordsOf(content); // prettier-ignore
  return { role: role === 'assistant' ? 'model' : 'user', parts: blocks.map(toPart), original: message }; // prettier-ignore
};

/** Adds to a system instruction, which is a text or a list of blocks. */
const withSystem = (system: unknown, added: string): unknown =>
  Array.isArray(system)
    ? [...(system as unknown[]), { type: 'text', text: added }]
    : [textOf(system), added].filter((text) => text !== '').join('\n\n');

function writeRequest(changed: NeutralRequest, given: NeutralRequest, body: Fields): Fields {
  const allows = allowedTools(changed, given);
  const tools = recordsOf(body['tools']).filter(({ name }) => allows?.(textOf(name)) ?? true);
  const choice = fieldsOf(body['tool_choice']);
  const isGone = choice['type'] === 'tool' && !allows?.(textOf(choice['name']));
  const { mode } = changed.toolConfig ?? {};
  return {
    ...body,
    model: changed.model,
    ...changedSettings(names, changed, given),
    ...(changed.system !== undefined && { system: withSystem(body['system'], changed.system) }),
    ...(allows && {
      tools,
      tool_choice: tools.length === 0 || isGone || mode === 'AUTO' ? undefined : mode === 'ANY' ? { ...choice, type: 'any' } : body['tool_choice'], // prettier-ignore
    }),
    ...(!hasSameMessages(changed, given) && {
      messages: changed.messages.map(
        (message, place) =>
          message.original ?? {
            role: message.role === 'model' ? 'assistant' : 'user',
            content: changedParts(message, place, changed, given).map(({ text, original }) =>
              text === undefined ? original : { ...fieldsOf(original), type: 'text', text },
            ),
          },
      ),
    }),
  };
}

const end = { stop_reason: 'end_turn', stop_sequence: null };

class Joining implements Joiner {
  #message: Fields = {};
  readonly #blocks: Record<string, unknown>[] = [];
  /** The arguments of calls as they arrive. */
  readonly #inputs: (string | undefined)[] = [];
  /** The block that has begun and not ended. */
  open: number | undefined;
  isComplete = false;

  get hasBegun(): boolean {
    return this.#message['type'] !== undefined;
  }

  get size(): number {
    return this.#blocks.length;
  }

  add(event: StreamEvent): void {
    const data = dataOf(event);
    const at = countOf(data['index']);
    const delta = fieldsOf(data['delta']);
    switch (data['type']) {
      case 'message_start':
        this.#message = fieldsOf(data['message']);
        return;
      case 'content_block_start':
        this.#blocks[at] = { ...fieldsOf(data['content_block']) };
        this.open = at;
        return;
      case 'content_block_delta':
        this.#delta(at, delta);
        return;
      case 'content_block_stop':
        if (this.#inputs[at] !== undefined && this.#blocks[at])
          this.#blocks[at]['input'] = parsed(this.#inputs[at]) ?? {};
        this.open = undefined;
        return;
      case 'message_delta':
        this.#message = {
          ...this.#message,
          ...delta,
          usage: { ...fieldsOf(this.#message['usage']), ...fieldsOf(data['usage']) },
        };
        return;
      case 'message_stop':
        this.isComplete = true;
        return;
      default:
    }
  }

  #delta(at: number, delta: Fields): void {
    const block = this.#blocks[at];
    if (block === undefined) return;
    const { text, thinking, signature, partial_json: json } = delta;
    if (typeof text === 'string') block['text'] = textOf(block['text']) + text;
    if (typeof thinking === 'string') block['thinking'] = textOf(block['thinking']) + thinking;
    if (typeof signature === 'string') block['signature'] = signature;
    if (typeof json === 'string') this.#inputs[at] = (this.#inputs[at] ?? '') + json;
  }

  answer(): Fields {
    return { ...this.#message, content: this.#blocks.filter((block) => block !== undefined) };
  }
}

const named = (data: Fields & { readonly type: string }): StreamEvent => ({
  name: data.type,
  data,
});

/** The events of one block. */
function* blockEvents(block: Fields, index: number): Generator<StreamEvent> {
  const { type, text, input, thinking, signature } = block;
  const delta = (fields: Fields): StreamEvent => named({ type: 'content_block_delta', index, delta: fields }); // prettier-ignore
  const empty =
    type === 'text' ? { text: '' } : type === 'thinking' ? { thinking: '', signature: '' } : input === undefined ? {} : { input: {} }; // prettier-ignore
  yield named({ type: 'content_block_start', index, content_block: { ...block, ...empty } });
  if (type === 'text') yield delta({ type: 'text_delta', text });
  if (type === 'thinking') yield delta({ type: 'thinking_delta', thinking });
  if (typeof signature === 'string') yield delta({ type: 'signature_delta', signature });
  if (input !== undefined)
    yield delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) });
  yield named({ type: 'content_block_stop', index });
}

const startOf = (model: string): Fields => ({
  id: newId('msg_'),
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 0, output_tokens: 0 },
});

function eventsOf(answer: Fields): readonly StreamEvent[] {
  const { content, stop_reason: reason, stop_sequence: sequence = null, usage } = answer;
  return [
    named({
      type: 'message_start',
      message: { ...answer, content: [], stop_reason: null, stop_sequence: null },
    }),
    ...recordsOf(content).flatMap((block, index) => [...blockEvents(block, index)]),
    named({
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: sequence },
      usage: { output_tokens: 0, ...fieldsOf(usage) },
    }),
    named({ type: 'message_stop' }),
  ];
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const failureOf = (status: number, message: string): Fields => ({
  type: 'error',
  error: { type: errorTypes[status] ?? 'api_error', message },
});

/** Anthropic's Messages. */
export const anthropic: ModelFormat = {
  name: 'anthropic',
  path: /\/messages$/,
  streams: ({ stream }) => stream === true,
  alive: 'event: ping\ndata: {"type":"ping"}\n\n',
  request: {
    read: (body) => {
      const { type, name } = fieldsOf(body['tool_choice']);
      const toolConfig = toolConfigOf(type, name);
      return {
        model: textOf(body['model']),
        messages: withNames(recordsOf(body['messages']).map(toMessage)),
        tools: recordsOf(body['tools']).map((tool) => textOf(tool['name'])),
        settings: settingsIn(names, body),
        ...(toolConfig && { toolConfig }),
      };
    },
    write: writeRequest,
  },
  answer: {
    read: (answer) => ({
      parts: recordsOf(answer['content']).map(toPart),
      finishReason: finishReasons[textOf(answer['stop_reason'])] ?? 'STOP',
    }),
    write: (response, answer, model) => ({
      ...(answer ?? startOf(model)),
      content: response.parts.map(({ text, original }) => original ?? { type: 'text', text }),
      ...(answer === undefined || (answer['stop_reason'] === 'tool_use' && !hasCallIn(response))
        ? end
        : {}),
    }),
    usage: ({ model, usage }) => {
      if (!isRecord(usage)) return undefined;
      const cached = countOf(usage['cache_read_input_tokens']);
      const written = countOf(usage['cache_creation_input_tokens']);
      return {
        model: textOf(model),
        input: countOf(usage['input_tokens']) + cached + written,
        output: countOf(usage['output_tokens']),
        cached,
        written,
      };
    },
  },
  stream: {
    join: () => new Joining(),
    of: eventsOf,
    part(event) {
      const { type, index, content_block: begun, delta } = dataOf(event);
      const block = String(index);
      switch (type) {
        case 'content_block_start':
          return fieldsOf(begun)['type'] === 'text'
            ? { of: 'text', block, text: textOf(fieldsOf(begun)['text']) }
            : fieldsOf(begun)['type'] === 'tool_use'
              ? { of: 'call', block }
              : { of: 'other' };
        case 'content_block_delta': {
          const { type: kind, text } = fieldsOf(delta);
          if (kind === 'text_delta') return { of: 'text', block, text: textOf(text) };
          return kind === 'input_json_delta' ? { of: 'call', block } : { of: 'other' };
        }
        case 'message_delta':
          return { of: 'end' };
        case 'ping':
          return { of: 'aside' };
        default:
          return { of: 'other' };
      }
    },
    withText: (event, text) => {
      const { index } = dataOf(event);
      return named({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
    },
    call(events) {
      const begun = fieldsOf(events.map(dataOf).find(({ type }) => type === 'content_block_start')?.['content_block']); // prettier-ignore
      const json = events.map((event) => textOf(fieldsOf(dataOf(event)['delta'])['partial_json'])).join(''); // prettier-ignore
      return {
        id: textOf(begun['id']),
        name: textOf(begun['name']),
        args: json === '' ? JSON.stringify(begun['input'] ?? {}) : json,
      };
    },
    withArgs(events, args) {
      const begun = events[0]!;
      const { index, content_block: block } = dataOf(begun);
      return [
        withData(begun, { ...dataOf(begun), content_block: { ...fieldsOf(block), input: {} } }),
        named({
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json: args },
        }),
      ];
    },
    inPlace(events, text) {
      const { index } = dataOf(events[0]!);
      return [...blockEvents({ type: 'text', text }, countOf(index))].filter(
        // The end of a block belongs to none, so it comes by itself.
        ({ name }) => name !== 'content_block_stop',
      );
    },
    settled(event, { refused, hasCalls }: Told) {
      const data = dataOf(event);
      const { stop_reason: reason } = fieldsOf(data['delta']);
      return data['type'] === 'message_delta' && refused.size > 0 && !hasCalls && reason === 'tool_use' // prettier-ignore
        ? withData(event, { ...data, delta: { ...fieldsOf(data['delta']), stop_reason: 'end_turn' } }) // prettier-ignore
        : event;
    },
    close(joiner) {
      const sent = joiner as Joining;
      const usage = { output_tokens: 0, ...fieldsOf(sent.answer()['usage']) };
      return [
        ...(sent.hasBegun ? [] : [named({ type: 'message_start', message: startOf('') })]),
        ...(sent.open === undefined ? [] : [named({ type: 'content_block_stop', index: sent.open })]), // prettier-ignore
        named({ type: 'message_delta', delta: end, usage }),
        named({ type: 'message_stop' }),
      ];
    },
    failure: (message) => ({ name: 'error', data: failureOf(500, message) }),
  },
  error: failureOf,
};
