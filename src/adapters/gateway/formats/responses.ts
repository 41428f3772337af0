import type { NeutralMessage, NeutralPart, NeutralRequest } from '../../../core/calls/run-model-call.ts'; // prettier-ignore
import { fieldsOf, isRecord } from '../../../base/json.ts';
import type { Fields, ModelFormat, StreamEvent } from './format.ts';
import {
  answerOf,
  argsOf,
  blockOf,
  contentsOf,
  eventsOf,
  isCall,
  isMessage,
  isText,
  itemEvents,
  Joining,
  messageOf,
  named,
  settled,
} from './responses-events.ts';
import {
  allowedTools,
  argumentsOf,
  changedParts,
  changedSettings,
  countOf,
  dataOf,
  hasSameMessages,
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
  maxOutputTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
} as const;

const callPart = (item: Fields, original: unknown): NeutralPart => ({
  call: {
    id: textOf(item['call_id']),
    name: textOf(item['name']),
    input: argumentsOf(item['arguments'] ?? item['input']),
  },
  original,
});

/** Hooks see what the user and the model said; the developer's messages stay where they are. */
function toMessage(item: Fields): NeutralMessage {
  const { role, type, call_id: id } = item;
  const said = isMessage(item) && role !== 'system' && role !== 'developer';
  if (isCall(item)) return { role: 'model', parts: [callPart(item, item)], original: item };
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return { role: 'user', parts: [{ result: { id: textOf(id), name: '' }, original: item }], original: item }; // prettier-ignore
  if (!said) return { role: 'user', parts: [{ original: item }], original: item };
  return {
    role: role === 'assistant' ? 'model' : 'user',
    parts: contentsOf(item).map((piece) =>
      isText(piece) ? textPart(textOf(piece['text']), piece) : { original: piece },
    ),
    original: item,
  };
}

function fromMessage(
  message: NeutralMessage,
  place: number,
  changed: NeutralRequest,
  given: NeutralRequest,
): unknown {
  if (message.original !== undefined) return message.original;
  const isModel = message.role === 'model';
  const before = fieldsOf(
    changed.messages.length === given.messages.length ? given.messages[place]?.original : undefined,
  );
  return {
    ...(isMessage(before) ? before : { type: 'message' }),
    role: isModel ? 'assistant' : 'user',
    content: changedParts(message, place, changed, given).map(({ text, original }) =>
      text === undefined
        ? original
        : { ...fieldsOf(original), type: isModel ? 'output_text' : 'input_text', text },
    ),
  };
}

/** A tool that the provider runs has no name of its own. */
const nameOf = ({ name, type }: Fields): string => textOf(name) || textOf(type);

/** The items of a request's input; a text is one message. */
const inputOf = ({ input }: Fields): readonly Fields[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : recordsOf(input);

function writeRequest(changed: NeutralRequest, given: NeutralRequest, body: Fields): Fields {
  const allows = allowedTools(changed, given);
  const tools = recordsOf(body['tools']).filter((tool) => allows?.(nameOf(tool)) ?? true);
  const { mode } = changed.toolConfig ?? {};
  const system = [textOf(body['instructions']), changed.system ?? ''].filter((text) => text !== '');
  return {
    ...body,
    model: changed.model,
    ...changedSettings(names, changed, given),
    ...(changed.system !== undefined && { instructions: system.join('\n\n') }),
    ...(allows && {
      tools,
      tool_choice: mode === 'NONE' || tools.length === 0 ? 'none' : mode === 'ANY' ? 'required' : 'auto', // prettier-ignore
    }),
    ...(!hasSameMessages(changed, given) && {
      input: changed.messages.map((message, place) => fromMessage(message, place, changed, given)),
    }),
  };
}

/** The item that an event of a call tells. */
const itemOf = (event: StreamEvent): Fields => fieldsOf(dataOf(event)['item']);

const ends = ['response.completed', 'response.incomplete', 'response.failed'];

/** OpenAI's Responses. */
export const responses: ModelFormat = {
  name: 'responses',
  path: /\/responses$/,
  streams: ({ stream }) => stream === true,
  alive: ': waiting\n\n',
  request: {
    read: (body) => {
      const choice = body['tool_choice'];
      const toolConfig = toolConfigOf(choice, isRecord(choice) ? choice['name'] : undefined);
      return {
        model: textOf(body['model']),
        messages: withNames(inputOf(body).map(toMessage)),
        tools: recordsOf(body['tools']).map(nameOf),
        settings: settingsIn(names, body),
        ...(toolConfig && { toolConfig }),
      };
    },
    write: writeRequest,
  },
  answer: {
    read(answer) {
      return {
        parts: recordsOf(answer['output']).flatMap((item): NeutralPart[] => {
          if (isCall(item)) return [callPart(item, { item })];
          if (!isMessage(item)) return [{ original: { item } }];
          return contentsOf(item).map((part) =>
            isText(part)
              ? textPart(textOf(part['text']), { item, part })
              : { original: { item, part } },
          );
        }),
        finishReason: answer['status'] === 'incomplete' ? 'MAX_TOKENS' : 'STOP',
      };
    },
    write(response, answer, model) {
      const kept = new Set(response.parts.map(({ original }) => fieldsOf(original)['item']));
      const said = response.parts.filter(({ original }) => original === undefined);
      const items = recordsOf(answer?.['output']);
      // A changed text stands where the first message stood.
      const isChanged = said.length > 0;
      const first = items.find(isMessage);
      const now = isChanged ? messageOf(saidIn(response), textOf(first?.['id']) || undefined) : undefined; // prettier-ignore
      const output = items.flatMap((item) => {
        if (item === first && now) return [now];
        if (isMessage(item)) return isChanged || !kept.has(item) ? [] : [item];
        return kept.has(item) ? [item] : [];
      });
      return {
        ...(answer ?? answerOf(model)),
        output: now && !first ? [now, ...output] : output,
      };
    },
    usage({ model, usage }) {
      if (!isRecord(usage)) return undefined;
      return {
        model: textOf(model),
        input: countOf(usage['input_tokens']),
        output: countOf(usage['output_tokens']),
        cached: countOf(fieldsOf(usage['input_tokens_details'])['cached_tokens']),
        thinking: countOf(fieldsOf(usage['output_tokens_details'])['reasoning_tokens']),
      };
    },
  },
  stream: {
    join: () => new Joining(),
    of: eventsOf,
    part(event) {
      const data = dataOf(event);
      const type = textOf(data['type']);
      if (type === 'response.output_text.delta')
        return { of: 'text', block: blockOf(data), text: textOf(data['delta']) };
      const isOfCall =
        /^response\.(?:function_call_arguments|custom_tool_call_input)\./.test(type) ||
        (type.startsWith('response.output_item.') && isCall(itemOf(event)));
      if (isOfCall) return { of: 'call', block: String(countOf(data['output_index'])) };
      return ends.includes(type) ? { of: 'end' } : { of: 'other' };
    },
    withText: (event, delta) => withData(event, { ...dataOf(event), delta }),
    wholeTexts(event) {
      const { type, output_index: at } = dataOf(event);
      const item = itemOf(event);
      if (type !== 'response.output_item.done' || !isMessage(item)) return [];
      return contentsOf(item).flatMap((part, index) =>
        isText(part) ? [[`${countOf(at)}.${index}`, textOf(part['text'])] as const] : [],
      );
    },
    call(events) {
      const items = events.map(itemOf).filter((item) => item['call_id'] !== undefined);
      const last = items.at(-1) ?? {};
      const deltas = events.map((event) => textOf(dataOf(event)['delta'])).join('');
      return {
        id: textOf(last['call_id']),
        name: textOf(last['name']),
        args: argsOf(last) || deltas,
      };
    },
    withArgs(events, args) {
      let isTold = false;
      return events.flatMap((event) => {
        const data = dataOf(event);
        const type = textOf(data['type']);
        if (type.endsWith('.delta')) {
          if (isTold) return [];
          isTold = true;
          return [withData(event, { ...data, delta: args })];
        }
        if (type === 'response.function_call_arguments.done')
          return [withData(event, { ...data, arguments: args })];
        if (type === 'response.custom_tool_call_input.done')
          return [withData(event, { ...data, input: args })];
        if (type !== 'response.output_item.done') return [event];
        const item = itemOf(event);
        const now = item['type'] === 'function_call' ? { ...item, arguments: args } : { ...item, input: args }; // prettier-ignore
        return [withData(event, { ...data, item: now })];
      });
    },
    inPlace(events, text) {
      const { output_index: at } = dataOf(events[0]!);
      const { id } = itemOf(events[0]!);
      return itemEvents(messageOf(text, textOf(id) || undefined), countOf(at));
    },
    settled,
    close(joiner) {
      const sent = joiner as Joining;
      const { item = 0, content = 0 } = sent.openText ?? {};
      const text = sent.textOf(`${item}.${content}`);
      const open = sent.openText && messageOf(text, textOf(sent.openItem?.['id']) || undefined);
      const place = { output_index: item, content_index: content, ...(open && { item_id: open['id'] }) }; // prettier-ignore
      const before = sent.hasBegun ? sent.answer() : answerOf('');
      const output = open ? [...sent.items.filter((one) => one !== undefined), open] : sent.items;
      const response = { ...answerOf(textOf(before['model'])), ...before, status: 'completed', output }; // prettier-ignore
      const part = open && recordsOf(open['content'])[0];
      return [
        ...(sent.hasBegun ? [] : [named({ type: 'response.created', response: before })]),
        ...(open
          ? [
              named({ type: 'response.output_text.done', ...place, text }),
              named({ type: 'response.content_part.done', ...place, part }),
              named({ type: 'response.output_item.done', output_index: item, item: open }),
            ]
          : []),
        named({ type: 'response.completed', response }),
      ].map((event, at) =>
        withData(event, { ...dataOf(event), sequence_number: sent.sequence + 1 + at }),
      );
    },
    failure: (message) =>
      named({
        type: 'response.failed',
        response: {
          id: newId('resp_'),
          status: 'failed',
          error: { code: 'server_error', message },
        },
      }),
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
