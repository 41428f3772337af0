import type { NeutralMessage, NeutralPart } from '../../core/calls/run-model-call.ts';
import { answerFrom, partsOfAnswer } from './answer.ts';
import type { Core } from './core.ts';
import type { Block, Message, ResultMessage } from './types.ts';

/** What a part is in LangChain: a piece of a message, or a whole message that hooks do not see. */
interface Piece {
  readonly of: Message;
  readonly block?: string | Block;
}

/**
 * The conversation as hooks see it. A system message is a part of the message after it, or of the last one.
 */
export function toNeutralMessages(messages: readonly Message[]): NeutralMessage[] {
  const neutral: NeutralMessage[] = [];
  let waiting: NeutralPart[] = [];
  for (const message of messages) {
    if (isUnseen(message)) {
      waiting.push({ original: { of: message } satisfies Piece });
      continue;
    }
    const parts = [...waiting, ...partsOf(message)];
    neutral.push({
      role: message.type === 'ai' ? 'model' : 'user',
      parts,
      original: [...waiting.map(({ original }) => (original as Piece).of), message],
    });
    waiting = [];
  }
  const last = neutral.pop();
  if (last === undefined) return [];
  const behind = waiting.map(({ original }) => (original as Piece).of);
  neutral.push({
    role: last.role,
    parts: [...last.parts, ...waiting],
    original: [...(last.original as readonly Message[]), ...behind],
  });
  return neutral;
}

/** Whether a message is for the model, and nobody in the conversation said it. */
const isUnseen = ({ type }: Message): boolean =>
  type !== 'human' && type !== 'ai' && type !== 'tool';

function partsOf(message: Message): NeutralPart[] {
  if (message.type === 'ai') return partsOfAnswer(message);
  if (message.type === 'tool') {
    const { tool_call_id: id, name = '' } = message as ResultMessage;
    return [{ result: { id, name }, original: { of: message } satisfies Piece }];
  }
  return textsOf(message);
}

function textsOf(message: Message): NeutralPart[] {
  const { content } = message;
  const blocks = typeof content === 'string' ? [content] : content;
  return blocks.map((block) => {
    const original: Piece = { of: message, block };
    const text = textIn(block);
    return text === undefined ? { original } : { text, original };
  });
}

/** The text of a text block; undefined for any other block. */
export const textIn = (block: string | Block): string | undefined => {
  if (typeof block === 'string') return block;
  return block.type === 'text' && typeof block.text === 'string' ? block.text : undefined;
};

const isWhole = ({ original }: NeutralPart): boolean =>
  isPiece(original) && original.block === undefined;

/** The conversation for the model: messages that no hook changed are the given objects. */
export const fromNeutralMessages = (messages: readonly NeutralMessage[], core: Core): Message[] =>
  messages.flatMap((message) => fromNeutralMessage(message, core));

function fromNeutralMessage({ role, parts, original }: NeutralMessage, core: Core): Message[] {
  if (original !== undefined) return [...(original as readonly Message[])];
  const said = parts.filter((part) => !isWhole(part));
  const whole = parts.filter(isWhole).map((part) => (part.original as Piece).of);
  if (said.length === 0) return whole;
  const message =
    role === 'model'
      ? answerFrom(said, core)
      : new core.HumanMessage({ ...kept(said), content: contentOf(said) });
  return [...whole, message];
}

const isPiece = (original: unknown): original is Piece =>
  typeof original === 'object' && original !== null && 'of' in original;

/** What a message keeps when its content is changed. */
function kept(parts: readonly NeutralPart[]): object {
  const base = parts.map(({ original }) => original).find(isPiece)?.of;
  if (base === undefined) return {};
  const { id, name, additional_kwargs } = base;
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(additional_kwargs && { additional_kwargs }),
  };
}

function contentOf(parts: readonly NeutralPart[]): string | Block[] {
  const hasMore = parts.some(({ text }) => text === undefined);
  if (!hasMore) return parts.map(({ text }) => text ?? '').join('');
  return parts.map(({ text, original }) => {
    const block = isPiece(original) ? original.block : undefined;
    return typeof block === 'object' ? block : { type: 'text', text: text ?? '' };
  });
}
