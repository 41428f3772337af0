import type { NeutralPart, NeutralResponse } from '../../core/calls/run-model-call.ts';
import { callOf, withInput } from './items.ts';
import type { Content, Item, ModelRequest, ModelResponse } from './types.ts';

/** Where a part of an answer came from. */
interface Origin {
  readonly item: Item;
  readonly content?: Content;
  readonly call?: NeutralPart['call'];
}

type Output = readonly Item[];

/** An answer as hooks see it. */
export function toNeutralResponse(
  { output, usage }: Pick<ModelResponse, 'output' | 'usage'>,
  request: ModelRequest,
): NeutralResponse {
  return {
    parts: output.flatMap((item) => partsOf(item, request)),
    finishReason: 'STOP',
    usage: {
      promptTokenCount: usage.inputTokens,
      candidatesTokenCount: usage.outputTokens,
      totalTokenCount: usage.totalTokens,
    },
  };
}

function partsOf(item: Item, request: ModelRequest): NeutralPart[] {
  const call = callOf(item, request);
  if (call) return [{ call, original: { item, call } }];
  if (!isMessage(item)) return [{ original: { item } }];
  return contentsIn(item).map((content) => {
    const original: Origin = { item, content };
    return isText(content) ? { text: content.text ?? '', original } : { original };
  });
}

/** The output items of an answer as hooks left it; the given list if they changed nothing. */
export function toOutput({ parts }: NeutralResponse, given: Output): Output {
  const items = changedItems(parts, given);
  const isSame =
    items.length === given.length && items.every((item, place) => item === given[place]);
  return isSame ? given : items;
}

function changedItems(parts: readonly NeutralPart[], given: Output): Item[] {
  const origins = parts.flatMap(({ original }) =>
    original === undefined ? [] : [original as Origin],
  );
  const texts = parts.flatMap(({ text, original }) =>
    text !== undefined && original === undefined ? [text] : [],
  );
  const isWhole = given.every((item) => isIn(origins, item));
  if (isWhole && texts.length === 0) return given.map((item) => called(item, parts));
  // The model's reasoning belongs to what it then said or did.
  const keepsRest = given.every((item) => !isCall(item) || isIn(origins, item));
  const first = given.find(isMessage);
  const said = texts.length > 0 ? [saying(texts.join(''), first)] : [];
  const rest = given.flatMap((item): readonly Item[] => {
    if (item === first) return said;
    if (isMessage(item)) return [];
    if (isCall(item)) return isIn(origins, item) ? [called(item, parts)] : [];
    return keepsRest ? [item] : [];
  });
  return first ? rest : [...said, ...rest];
}

const isIn = (origins: readonly Origin[], item: Item): boolean =>
  isMessage(item)
    ? contentsIn(item).every((content) => origins.some((origin) => origin.content === content))
    : origins.some((origin) => origin.item === item);

const isCall = ({ type }: Item): boolean =>
  type === 'function_call' || type === 'shell_call' || type === 'apply_patch_call';

/** A call with the arguments that hooks left. */
function called(item: Item, parts: readonly NeutralPart[]): Item {
  for (const { call, original } of parts) {
    const origin = original as Origin | undefined;
    if (call && origin?.item === item)
      return call === origin.call ? item : withInput(item, call.input);
  }
  return item;
}

/** A message from the model. If it replaces another, it keeps that one's id, which other items refer to. */
export const saying = (text: string, before?: Item): Item => ({
  ...(before?.id !== undefined && { id: before.id }),
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});

const isMessage = ({ type, role }: Item): boolean => type === 'message' || role === 'assistant';

const contentsIn = ({ content = [] }: Item): readonly Content[] =>
  typeof content === 'string' ? [] : content;

const isText = ({ type }: Content): boolean => type === 'output_text';

/** The whole text of an answer. */
export const textOf = (output: Output): string =>
  output
    .filter(isMessage)
    .flatMap(contentsIn)
    .map((content) => (isText(content) ? (content.text ?? '') : ''))
    .join('');

/** An answer for which no model was asked costs nothing. */
export const noUsage = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  inputTokensDetails: [],
  outputTokensDetails: [],
};
