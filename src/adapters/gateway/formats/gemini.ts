import type { NeutralMessage, NeutralPart, NeutralRequest } from '../../../core/calls/run-model-call.ts'; // prettier-ignore
import { fieldsOf, isRecord } from '../../../base/json.ts';
import type { Fields, Joiner, ModelFormat, StreamEvent } from './format.ts';
import {
  allowedTools,
  changedParts,
  changedSettings,
  countOf,
  dataOf,
  hasSameMessages,
  listOf,
  newId,
  parsed,
  recordsOf,
  settingsIn,
  textOf,
  textPart,
  toolConfigOf,
  withData,
} from './shared.ts';

const names = {
  temperature: 'temperature',
  maxOutputTokens: 'maxOutputTokens',
  topP: 'topP',
  topK: 'topK',
  stopSequences: 'stopSequences',
  candidateCount: 'candidateCount',
  presencePenalty: 'presencePenalty',
  frequencyPenalty: 'frequencyPenalty',
} as const;

function toPart(part: Fields): NeutralPart {
  const { text, thought, functionCall, functionResponse } = part;
  if (isRecord(functionCall)) {
    const { id, name, args } = functionCall;
    return { call: { id: textOf(id), name: textOf(name), input: fieldsOf(args) }, original: part };
  }
  if (isRecord(functionResponse))
    return {
      result: { id: textOf(functionResponse['id']), name: textOf(functionResponse['name']) },
      original: part,
    };
  return typeof text === 'string' && thought !== true ? textPart(text, part) : { original: part };
}

const toMessage = (content: Fields): NeutralMessage => ({
  role: content['role'] === 'model' ? 'model' : 'user',
  parts: recordsOf(content['parts']).map(toPart),
  original: content,
});

/** Google reads field names in both forms; this is the one that its own packages write. */
const declared = (body: Fields): readonly Fields[] =>
  recordsOf(body['tools']).flatMap((tool) => recordsOf(tool['functionDeclarations']));

/** Only the functions that may be called; tools that the provider runs have the name of their key. */
const offered = (tools: unknown, allows: (name: string) => boolean): readonly Fields[] =>
  recordsOf(tools).flatMap((tool) => {
    const { functionDeclarations: functions, ...rest } = tool;
    const left = recordsOf(functions).filter(({ name }) => allows(textOf(name)));
    const own = Object.fromEntries(Object.entries(rest).filter(([name]) => allows(name)));
    const now = { ...own, ...(left.length > 0 && { functionDeclarations: left }) };
    return Object.keys(now).length > 0 ? [now] : [];
  });

function writeRequest(changed: NeutralRequest, given: NeutralRequest, body: Fields): Fields {
  const allows = allowedTools(changed, given);
  const system = fieldsOf(body['systemInstruction']);
  const settings = changedSettings(names, changed, given);
  const { toolConfig } = changed;
  return {
    ...body,
    ...(Object.keys(settings).length > 0 && {
      generationConfig: { ...fieldsOf(body['generationConfig']), ...settings },
    }),
    ...(changed.system !== undefined && {
      systemInstruction: {
        ...system,
        parts: [...listOf(system['parts']), { text: changed.system }],
      },
    }),
    ...(allows && {
      tools: offered(body['tools'], allows),
      toolConfig: {
        ...fieldsOf(body['toolConfig']),
        functionCallingConfig: {
          mode: toolConfig?.mode ?? 'AUTO',
          ...(toolConfig?.mode === 'ANY' && { allowedFunctionNames: toolConfig.allowedFunctionNames }), // prettier-ignore
        },
      },
    }),
    ...(!hasSameMessages(changed, given) && {
      contents: changed.messages.map(
        (message, place) =>
          message.original ?? {
            role: message.role,
            parts: changedParts(message, place, changed, given).map(({ text, original }) =>
              text === undefined ? original : { ...fieldsOf(original), text },
            ),
          },
      ),
    }),
  };
}

const candidateOf = (answer: Fields): Fields => recordsOf(answer['candidates'])[0] ?? {};

const partsOf = (answer: Fields): readonly Fields[] =>
  recordsOf(fieldsOf(candidateOf(answer)['content'])['parts']);

/** An answer with other parts. */
const withParts = (answer: Fields, parts: readonly unknown[], fields: Fields = {}): Fields => ({
  ...answer,
  candidates: [
    {
      ...candidateOf(answer),
      ...fields,
      content: { role: 'model', ...fieldsOf(candidateOf(answer)['content']), parts },
    },
    ...recordsOf(answer['candidates']).slice(1),
  ],
});

class Joining implements Joiner {
  #answer: Fields = {};
  readonly #parts: Fields[] = [];

  get isComplete(): boolean {
    return (
      typeof candidateOf(this.#answer)['finishReason'] === 'string' ||
      this.#answer['promptFeedback'] !== undefined
    );
  }

  get last(): Fields {
    return this.#answer;
  }

  add(event: StreamEvent): void {
    const data = dataOf(event);
    for (const part of partsOf(data)) {
      const last = this.#parts.at(-1);
      const { text, thought, ...rest } = part;
      const joins =
        typeof text === 'string' &&
        typeof last?.['text'] === 'string' &&
        last['thought'] === thought &&
        Object.keys(rest).length === 0;
      if (joins)
        this.#parts[this.#parts.length - 1] = { ...last, text: textOf(last['text']) + text };
      else this.#parts.push(part);
    }
    const candidate = { ...candidateOf(this.#answer), ...candidateOf(data) };
    this.#answer = { ...this.#answer, ...data, ...(data['candidates'] !== undefined && { candidates: [candidate] }) }; // prettier-ignore
  }

  answer(): Fields {
    return this.#answer['candidates'] === undefined
      ? this.#answer
      : withParts(this.#answer, this.#parts);
  }
}

const blank = (model: string): Fields => ({
  candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
  modelVersion: model,
  responseId: newId(''),
});

/** Google's Gemini. */
export const gemini: ModelFormat = {
  name: 'gemini',
  path: /:(?:stream)?[gG]enerateContent$/,
  streams: (_, url) => url.includes(':streamGenerateContent') && url.includes('alt=sse'),
  request: {
    read(body, url) {
      const calling = fieldsOf(fieldsOf(body['toolConfig'])['functionCallingConfig']);
      const mode = textOf(calling['mode']).toLowerCase();
      const allowed = calling['allowedFunctionNames'];
      const toolConfig = toolConfigOf(mode);
      return {
        model: /models\/([^/:?]+):/.exec(url)?.[1] ?? textOf(body['model']),
        messages: recordsOf(body['contents']).map(toMessage),
        tools: declared(body).map(({ name }) => textOf(name)),
        settings: settingsIn(names, fieldsOf(body['generationConfig'])),
        ...(toolConfig && {
          toolConfig: {
            ...toolConfig,
            ...(Array.isArray(allowed) && { allowedFunctionNames: allowed.map(String) }),
          },
        }),
      };
    },
    write: writeRequest,
  },
  answer: {
    read: (answer) => ({
      parts: partsOf(answer).map(toPart),
      finishReason: textOf(candidateOf(answer)['finishReason']) || 'STOP',
    }),
    write: (response, answer, model) =>
      withParts(
        answer ?? blank(model),
        response.parts.map(({ text, original }) => original ?? { text }),
      ),
    usage({ modelVersion, usageMetadata: usage }) {
      if (!isRecord(usage)) return undefined;
      const thinking = countOf(usage['thoughtsTokenCount']);
      return {
        model: textOf(modelVersion),
        input: countOf(usage['promptTokenCount']) + countOf(usage['toolUsePromptTokenCount']),
        output: countOf(usage['candidatesTokenCount']) + thinking,
        cached: countOf(usage['cachedContentTokenCount']),
        thinking,
      };
    },
  },
  stream: {
    join: () => new Joining(),
    of: (answer) => [{ data: answer }],
    split(event) {
      const data = dataOf(event);
      const parts = partsOf(data);
      const { finishReason: reason, ...candidate } = candidateOf(data);
      const isEnd = reason !== undefined;
      if (parts.length + (isEnd ? 1 : 0) < 2) return [event];
      const unfinished = { ...data, candidates: [candidate] };
      return [
        ...parts.map((part) => withData(event, withParts(unfinished, [part]))),
        ...(isEnd ? [withData(event, withParts(data, [{ text: '' }]))] : []),
      ];
    },
    part(event) {
      const data = dataOf(event);
      const [part] = partsOf(data);
      if (isRecord(part?.['functionCall'])) return { of: 'call', block: newId('') };
      if (typeof part?.['text'] === 'string' && part['thought'] !== true && part['text'] !== '')
        return { of: 'text', block: 'text', text: part['text'] };
      return candidateOf(data)['finishReason'] === undefined ? { of: 'other' } : { of: 'end' };
    },
    withText: (event, text) => withData(event, withParts(dataOf(event), [{ text }])),
    call([event]) {
      const { id, name, args } = fieldsOf(partsOf(dataOf(event!))[0]?.['functionCall']);
      const called = textOf(id) || `${textOf(name)} ${JSON.stringify(args ?? {})}`;
      return { id: called, name: textOf(name), args: JSON.stringify(args ?? {}) };
    },
    withArgs([event], text) {
      const [part = {}] = partsOf(dataOf(event!));
      const functionCall = { ...fieldsOf(part['functionCall']), args: parsed(text) };
      return [withData(event!, withParts(dataOf(event!), [{ ...part, functionCall }]))];
    },
    inPlace: ([event], text) => [withData(event!, withParts(dataOf(event!), [{ text }]))],
    settled: (event) => event,
    close: (sent) => {
      const { candidates: _, ...rest } = (sent as Joining).last;
      const end = { content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP', index: 0 }; // prettier-ignore
      return [{ data: { ...rest, candidates: [end] } }];
    },
    failure: (message) => ({ data: { error: { code: 500, message, status: 'INTERNAL' } } }),
  },
  error: (code, message) => ({
    error: {
      code,
      message,
      status: code === 400 ? 'INVALID_ARGUMENT' : code === 403 ? 'PERMISSION_DENIED' : code === 429 ? 'RESOURCE_EXHAUSTED' : 'INTERNAL', // prettier-ignore
    },
  }),
};
