import type { NeutralMessage, NeutralPart, NeutralRequest } from '../../../core/calls/run-model-call.ts'; // prettier-ignore
import { fieldsOf, isRecord } from '../../../base/json.ts';
import type { Fields, Joiner, ModelFormat, StreamEvent } from './format.ts';
import {
  allowedTools,
  argumentsOf,
  changedParts,
  changedSettings,
  countOf,
  dataOf,
  hasCallIn,
  hasSameMessages,
  listOf,
  newId,
  recordsOf,
  saidIn,
  settingsIn,
  textOf,
  textPart,
  toolConfigOf,
  withData,
  withNames,
} from './shared.ts';

const names = {
  temperature: 'temperature',
  topP: 'top_p',
  stopSequences: 'stop',
  candidateCount: 'n',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const;

/** The name of the limit differs between models; that of the request stays. */
const namesFor = (body: Fields) => ({
  ...names,
  maxOutputTokens: body['max_tokens'] === undefined ? 'max_completion_tokens' : 'max_tokens',
});

const callPart = (call: Fields): NeutralPart => {
  const { name, arguments: args, input } = fieldsOf(call['function'] ?? call['custom']);
  return {
    call: { id: textOf(call['id']), name: textOf(name), input: argumentsOf(args ?? input) },
    original: call,
  };
};

/** The pieces of a message's content. */
const contentParts = (content: unknown): NeutralPart[] =>
  typeof content === 'string'
    ? [textPart(content, { type: 'text', text: content })]
    : recordsOf(content).map((piece) =>
        piece['type'] === 'text' ? textPart(textOf(piece['text']), piece) : { original: piece },
      );

/** System and developer messages are not shown to hooks; they stay where they are. */
const isSystem = ({ role }: Fields): boolean => role === 'system' || role === 'developer';

function toMessage(message: Fields): NeutralMessage {
  const { role, content, tool_calls: calls, tool_call_id: result } = message;
  if (isSystem(message)) return { role: 'user', parts: [{ original: message }], original: message };
  if (role === 'tool')
    return { role: 'user', parts: [{ result: { id: textOf(result), name: '' }, original: message }], original: message }; // prettier-ignore
  const parts = [...contentParts(content), ...recordsOf(calls).map(callPart)];
  return { role: role === 'assistant' ? 'model' : 'user', parts, original: message };
}

/** A message that hooks changed. */
function fromMessage(
  message: NeutralMessage,
  place: number,
  changed: NeutralRequest,
  given: NeutralRequest,
): unknown {
  if (message.original !== undefined) return message.original;
  const before = fieldsOf(
    changed.messages.length === given.messages.length ? given.messages[place]?.original : undefined,
  );
  const parts = changedParts(message, place, changed, given);
  const calls = parts.filter(({ original }) => isRecord(original) && 'function' in original);
  const content = parts
    .filter((part) => !calls.includes(part))
    .map(({ text, original }) =>
      text === undefined ? original : { ...fieldsOf(original), type: 'text', text },
    );
  const texts = content.map((piece) => fieldsOf(piece)['text']);
  const isPlain = typeof before['content'] === 'string' || message.role === 'model';
  return {
    ...before,
    role: message.role === 'model' ? 'assistant' : 'user',
    content: isPlain && texts.every((text) => typeof text === 'string') ? texts.join('') : content,
    ...(calls.length > 0 && { tool_calls: calls.map(({ original }) => original) }),
  };
}

/** Adds to the last system message before the conversation, or puts one there. */
function withSystem(messages: readonly unknown[], added: string): readonly unknown[] {
  const [first, ...rest] = messages;
  if (!isRecord(first) || !isSystem(first))
    return [{ role: 'system', content: added }, ...messages];
  const { content } = first;
  const whole = Array.isArray(content)
    ? [...(content as unknown[]), { type: 'text', text: added }]
    : `${textOf(content)}\n\n${added}`;
  return [{ ...first, content: whole }, ...rest];
}

const nameOf = (tool: Fields): string =>
  textOf(fieldsOf(tool['function'] ?? tool['custom'])['name']);

function writeRequest(changed: NeutralRequest, given: NeutralRequest, body: Fields): Fields {
  const allows = allowedTools(changed, given);
  const tools = recordsOf(body['tools']).filter((tool) => allows?.(nameOf(tool)) ?? true);
  const messages = hasSameMessages(changed, given)
    ? listOf(body['messages'])
    : changed.messages.map((message, place) => fromMessage(message, place, changed, given));
  return {
    ...body,
    model: changed.model,
    messages: changed.system === undefined ? messages : withSystem(messages, changed.system),
    ...changedSettings(namesFor(body), changed, given),
    ...(allows && {
      tools: tools.length > 0 ? tools : undefined,
      tool_choice: tools.length > 0 && changed.toolConfig?.mode === 'ANY' ? 'required' : undefined,
    }),
  };
}

const chunkOf = (chunk: Fields, fields: Fields): Fields => ({ ...chunk, choices: [{ index: 0, finish_reason: null, ...fields }] }); // prettier-ignore

const choiceOf = (data: Fields): Fields => recordsOf(data['choices'])[0] ?? {};

class Joining implements Joiner {
  #head: Fields = {};
  #usage: unknown;
  #message: Record<string, unknown> = { role: 'assistant', content: null };
  readonly #calls: Record<string, unknown>[] = [];
  #reason: unknown = null;
  #isDone = false;

  get head(): Fields {
    return this.#head;
  }

  get isComplete(): boolean {
    return this.#isDone || this.#reason !== null;
  }

  add({ data }: StreamEvent): void {
    if (!isRecord(data)) {
      this.#isDone ||= data.trim() === '[DONE]';
      return;
    }
    const { choices: _, usage, ...head } = data;
    if (this.#head['id'] === undefined) this.#head = head;
    if (isRecord(usage)) this.#usage = usage;
    const { delta, finish_reason: reason } = choiceOf(data);
    if (typeof reason === 'string') this.#reason = reason;
    for (const [key, value] of Object.entries(fieldsOf(delta))) {
      if (key === 'tool_calls') recordsOf(value).forEach((call) => this.#call(call));
      else if (key !== 'role' && typeof value === 'string')
        this.#message[key] = textOf(this.#message[key]) + value;
    }
  }

  #call({ index, function: given, ...rest }: Fields): void {
    const at = countOf(index);
    const known = (this.#calls[at] ??= {});
    const before = fieldsOf(known['function']);
    const { name, arguments: args } = fieldsOf(given);
    Object.assign(
      known,
      Object.fromEntries(Object.entries(rest).filter(([, one]) => one !== null)),
      {
        // prettier-ignore
        function: { name: textOf(before['name']) + textOf(name), arguments: textOf(before['arguments']) + textOf(args) }, // prettier-ignore
      },
    );
  }

  answer(): Fields {
    const calls = this.#calls.filter((call) => call !== undefined);
    const message = { ...this.#message, ...(calls.length > 0 && { tool_calls: calls }) };
    return {
      ...this.#head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: this.#reason }],
      ...(this.#usage !== undefined && { usage: this.#usage }),
    };
  }
}

const done: StreamEvent = { data: '[DONE]' };

function eventsOf(answer: Fields): readonly StreamEvent[] {
  const { choices: _, usage, ...head } = answer;
  const { message, finish_reason: reason } = choiceOf(answer);
  const { tool_calls: calls, ...said } = fieldsOf(message);
  const base = { ...head, object: 'chat.completion.chunk' };
  return [
    { data: chunkOf(base, { delta: said }) },
    ...recordsOf(calls).map((call, index) => ({
      data: chunkOf(base, { delta: { tool_calls: [{ index, ...call }] } }),
    })),
    { data: chunkOf(base, { delta: {}, finish_reason: reason ?? 'stop' }) },
    ...(usage === undefined ? [] : [{ data: { ...base, choices: [], usage } }]),
    done,
  ];
}

/** The call of an event that belongs to one. */
const callIn = (event: StreamEvent): Fields | undefined =>
  recordsOf(fieldsOf(choiceOf(dataOf(event))['delta'])['tool_calls'])[0];

/** Chat Completions of OpenAI and of all who speak it. */
export const chat: ModelFormat = {
  name: 'chat',
  path: /\/chat\/completions$/,
  streams: ({ stream }) => stream === true,
  alive: ': waiting\n\n',
  request: {
    read: (body) => {
      const choice = body['tool_choice'];
      const toolConfig = toolConfigOf(choice, isRecord(choice) ? nameOf(choice) : undefined);
      return {
        model: textOf(body['model']),
        messages: withNames(recordsOf(body['messages']).map(toMessage)),
        tools: recordsOf(body['tools']).map(nameOf),
        settings: settingsIn(namesFor(body), body),
        ...(toolConfig && { toolConfig }),
      };
    },
    write: writeRequest,
  },
  answer: {
    read: (answer) => {
      const { message, finish_reason: reason } = choiceOf(answer);
      const { content, tool_calls: calls } = fieldsOf(message);
      return {
        parts: [
          ...(content === null || content === undefined ? [] : contentParts(content)),
          ...recordsOf(calls).map(callPart),
        ],
        finishReason: reason === 'length' ? 'MAX_TOKENS' : reason === 'content_filter' ? 'SAFETY' : 'STOP', // prettier-ignore
      };
    },
    write(response, answer, model) {
      const { message, finish_reason: reason, ...choice } = choiceOf(answer ?? {});
      const calls = response.parts.flatMap(({ call, original }) => (call ? [original] : []));
      const ends = answer === undefined || (reason === 'tool_calls' && !hasCallIn(response));
      const { tool_calls: _, ...said } = fieldsOf(message);
      return {
        ...(answer ?? { id: newId('chatcmpl-'), object: 'chat.completion', created: Math.floor(Date.now() / 1000), model, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }), // prettier-ignore
        choices: [
          {
            index: 0,
            ...choice,
            message: {
              role: 'assistant',
              ...said,
              content: saidIn(response),
              ...(calls.length > 0 && { tool_calls: calls }),
            },
            finish_reason: ends ? 'stop' : reason,
          },
        ],
      };
    },
    usage({ model, usage }) {
      if (!isRecord(usage)) return undefined;
      const details = fieldsOf(usage['completion_tokens_details']);
      return {
        model: textOf(model),
        input: countOf(usage['prompt_tokens']),
        output: countOf(usage['completion_tokens']),
        cached: countOf(fieldsOf(usage['prompt_tokens_details'])['cached_tokens']),
        thinking: countOf(details['reasoning_tokens']),
      };
    },
  },
  stream: {
    join: () => new Joining(),
    of: eventsOf,
    split(event) {
      const data = dataOf(event);
      const { delta, finish_reason: reason, ...choice } = choiceOf(data);
      const { tool_calls: calls, content, ...rest } = fieldsOf(delta);
      const pieces: Fields[] = [
        ...(typeof content === 'string' && content !== '' ? [{ delta: { ...rest, content } }] : []),
        ...recordsOf(calls).map((call) => ({ delta: { ...rest, tool_calls: [call] } })),
        ...(typeof reason === 'string' ? [{ delta: {}, finish_reason: reason }] : []),
      ];
      if (pieces.length < 2) return [event];
      const { usage, ...head } = data;
      return pieces.map((piece, place) => ({
        ...event,
        data: {
          ...chunkOf(head, { ...choice, ...piece }),
          ...(place === pieces.length - 1 && usage !== undefined && { usage }),
        },
      }));
    },
    part(event) {
      if (!isRecord(event.data)) return { of: 'other' };
      const { delta, finish_reason: reason } = choiceOf(event.data);
      const { content } = fieldsOf(delta);
      const call = callIn(event);
      if (call) return { of: 'call', block: String(countOf(call['index'])) };
      if (typeof content === 'string' && content !== '') return { of: 'text', block: 'text', text: content }; // prettier-ignore
      return typeof reason === 'string' ? { of: 'end' } : { of: 'other' };
    },
    withText: (event, content) => withData(event, chunkOf(dataOf(event), { delta: { content } })),
    call(events) {
      const calls = events.map((event) => callIn(event) ?? {});
      const all = (key: string): string => calls.map((one) => textOf(fieldsOf(one['function'])[key])).join(''); // prettier-ignore
      return {
        id: textOf(calls.find(({ id }) => typeof id === 'string')?.['id']),
        name: all('name'),
        args: all('arguments'),
      };
    },
    withArgs(events, args) {
      const first = events[0]!;
      const { function: given, ...call } = callIn(first) ?? {};
      const whole = { ...call, function: { ...fieldsOf(given), arguments: args } };
      return [withData(first, chunkOf(dataOf(first), { delta: { tool_calls: [whole] } }))];
    },
    inPlace: ([first], text) => [
      withData(first!, chunkOf(dataOf(first!), { delta: { content: text } })),
    ],
    settled(event, { refused, hasCalls }) {
      const data = dataOf(event);
      return choiceOf(data)['finish_reason'] === 'tool_calls' && refused.size > 0 && !hasCalls
        ? withData(event, { ...data, choices: [{ ...choiceOf(data), finish_reason: 'stop' }] })
        : event;
    },
    close: (sent) => [
      {
        data: chunkOf(
          { object: 'chat.completion.chunk', ...(sent as Joining).head },
          { delta: {}, finish_reason: 'stop' },
        ),
      },
      done,
    ],
    failure: (message) => ({ data: { error: { message, type: 'server_error', code: null } } }),
  },
  error: (status, message) => ({
    error: {
      message,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      param: null,
      code: null,
    },
  }),
};
