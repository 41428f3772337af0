import { fieldsOf, isRecord } from '../../../base/json.ts';
import type { Fields, Joiner, StreamEvent, Told } from './format.ts';
import { countOf, dataOf, newId, recordsOf, textOf, withData } from './shared.ts';

export const isCall = ({ type }: Fields): boolean =>
  type === 'function_call' || type === 'custom_tool_call';

export const isMessage = ({ type, role }: Fields): boolean =>
  type === 'message' || (type === undefined && role !== undefined);

export const isText = ({ type }: Fields): boolean =>
  type === 'input_text' || type === 'output_text' || type === 'text';

/** The contents of a message. */
export const contentsOf = (item: Fields): readonly Fields[] => {
  const { content, role } = item;
  if (typeof content !== 'string') return recordsOf(content);
  return [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: content }];
};

export const argsOf = ({ arguments: args, input }: Fields): string => textOf(args ?? input);

export class Joining implements Joiner {
  #response: Fields = {};
  readonly items: Fields[] = [];
  readonly #texts = new Map<string, string>();
  /** The items and contents that have begun and not ended. */
  openItem: Fields | undefined;
  openText: { readonly item: number; readonly content: number } | undefined;
  isComplete = false;
  #sequence = 0;

  get hasBegun(): boolean {
    return Object.keys(this.#response).length > 0;
  }

  get sequence(): number {
    return this.#sequence;
  }

  textOf(block: string): string {
    return this.#texts.get(block) ?? '';
  }

  add(event: StreamEvent): void {
    const data = dataOf(event);
    const { type, response, item, output_index: at, content_index: content } = data;
    this.#sequence = Math.max(this.#sequence, countOf(data['sequence_number']));
    if (isRecord(response)) this.#response = { ...this.#response, ...response };
    switch (type) {
      case 'response.output_item.added':
        this.openItem = fieldsOf(item);
        return;
      case 'response.output_text.delta': {
        const block = blockOf(data);
        this.openText = { item: countOf(at), content: countOf(content) };
        this.#texts.set(block, this.textOf(block) + textOf(data['delta']));
        return;
      }
      case 'response.content_part.done':
        this.openText = undefined;
        return;
      case 'response.output_item.done':
        this.items[countOf(at)] = fieldsOf(item);
        this.openItem = undefined;
        this.openText = undefined;
        return;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.isComplete = true;
        return;
      default:
    }
  }

  answer(): Fields {
    const { output } = this.#response;
    const items = this.items.filter((item) => item !== undefined);
    const hasOutput = Array.isArray(output) && output.length > 0;
    return { ...this.#response, output: hasOutput ? output : items };
  }
}

export const blockOf = ({ output_index: item, content_index: content }: Fields): string =>
  `${countOf(item)}.${countOf(content)}`;

export const named = (data: Fields & { readonly type: string }): StreamEvent => ({
  name: data.type,
  data,
});

export const messageOf = (text: string, id = newId('msg_')): Fields => ({
  id,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});

/** The events of one item of an answer. */
export function itemEvents(item: Fields, at: number): readonly StreamEvent[] {
  const place = {
    output_index: at,
    ...(typeof item['id'] === 'string' && { item_id: item['id'] }),
  };
  const begun = { ...item, status: 'in_progress' };
  const ended = named({ type: 'response.output_item.done', output_index: at, item });
  const added = (fields: Fields): StreamEvent =>
    named({ type: 'response.output_item.added', output_index: at, item: { ...begun, ...fields } });
  if (isMessage(item))
    return [
      added({ content: [] }),
      ...contentsOf(item).flatMap((part, index) => {
        const here = { ...place, content_index: index };
        const text = textOf(part['text']);
        if (!isText(part)) return [];
        return [
          named({ type: 'response.content_part.added', ...here, part: { ...part, text: '' } }),
          named({ type: 'response.output_text.delta', ...here, delta: text }),
          named({ type: 'response.output_text.done', ...here, text }),
          named({ type: 'response.content_part.done', ...here, part }),
        ];
      }),
      ended,
    ];
  if (item['type'] === 'function_call')
    return [
      added({ arguments: '' }),
      named({ type: 'response.function_call_arguments.delta', ...place, delta: argsOf(item) }),
      named({ type: 'response.function_call_arguments.done', ...place, arguments: argsOf(item) }),
      ended,
    ];
  return [added({}), ended];
}

export function eventsOf(answer: Fields): readonly StreamEvent[] {
  const begun = { ...answer, status: 'in_progress', output: [], usage: null };
  const items = recordsOf(answer['output']).flatMap(itemEvents);
  return [
    named({ type: 'response.created', response: begun }),
    ...items,
    named({ type: 'response.completed', response: answer }),
  ].map((event, at) => withData(event, { ...dataOf(event), sequence_number: at }));
}

export const answerOf = (model: string): Fields => ({
  id: newId('resp_'),
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  status: 'completed',
  model,
  usage: {
    input_tokens: 0,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 0,
  },
});

/** An item with what was told in its place. */
function toldItem(item: Fields, at: number, { texts, args, refused }: Told): Fields {
  if (isCall(item)) {
    const id = textOf(item['call_id']);
    const why = refused.get(id);
    if (why !== undefined) return messageOf(why, textOf(item['id']) || undefined);
    const now = args.get(id);
    if (now === undefined) return item;
    return item['type'] === 'function_call' ? { ...item, arguments: now } : { ...item, input: now };
  }
  if (!isMessage(item)) return item;
  const content = contentsOf(item).map((part, index) => {
    const text = texts.get(`${at}.${index}`);
    return text === undefined ? part : { ...part, text };
  });
  return { ...item, content };
}

export function settled(event: StreamEvent, told: Told): StreamEvent {
  const data = dataOf(event);
  const { item, response, output_index: at, type } = data;
  const text = told.texts.get(blockOf(data));
  if (type === 'response.output_text.done' && text !== undefined)
    return withData(event, { ...data, text });
  if (type === 'response.content_part.done' && text !== undefined)
    return withData(event, { ...data, part: { ...fieldsOf(data['part']), text } });
  if (type === 'response.output_item.done')
    return withData(event, { ...data, item: toldItem(fieldsOf(item), countOf(at), told) });
  if (!isRecord(response) || !Array.isArray(response['output'])) return event;
  const output = recordsOf(response['output']).map((one, place) => toldItem(one, place, told));
  return withData(event, { ...data, response: { ...response, output } });
}
