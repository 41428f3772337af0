import type { AnswerText } from '../../../machines/model-call.ts';
import { withoutCopies } from './answer.ts';
import type { Channel } from './channel.ts';
import { callChunksOf, chunkOf, contentHeld, textOf, wantsTools } from './chunks.ts';
import type { Core } from './core.ts';
import type { Answer, Block, Chunk, Content } from './types.ts';

/** A streamed answer whose text is emitted as hooks let it through, with everything that came beside it. */
export class StreamedText {
  readonly #text: AnswerText;
  readonly #live: Channel<Chunk>;
  readonly #core: Core;
  /** The newest chunk that had text. */
  #newest: Chunk | undefined;
  /** What came with text that has not been emitted yet. */
  #beside: Chunk | undefined;
  /** Tool calls, and what came with them. */
  #held: Chunk[] = [];
  #said = '';

  constructor(text: AnswerText, live: Channel<Chunk>, core: Core) {
    this.#text = text;
    this.#live = live;
    this.#core = core;
  }

  /** Takes a chunk of the model; the next one must wait for the returned promise. */
  async add(chunk: Chunk): Promise<void> {
    const { message } = chunk;
    const text = textOf(message);
    if (text !== '') {
      if (this.#newest && placeOf(this.#newest.message) !== placeOf(message))
        await this.#text.end();
      this.#newest = chunk;
      this.#text.add(text);
    }
    const isCall = wantsTools(message);
    // An empty piece between two pieces of a text does not separate them.
    if (isCall || hasOthers(message)) await this.#text.end();
    if (isCall) this.#held.push(this.#withoutText(chunk));
    else if (text === '') this.#live.push(chunk);
    else this.#beside = join(this.#beside, this.#withoutText(chunk));
  }

  /** Emits text that hooks let through. */
  show(text: string): void {
    const newest = this.#newest;
    if (newest === undefined) return;
    this.#said += text;
    const { content } = newest.message;
    const index = placeOf(newest.message);
    const block: Block = { type: 'text', text, ...(index !== undefined && { index }) };
    const message = this.#message(newest.message, {
      content: typeof content === 'string' ? text : [block],
    });
    this.#live.push(join(this.#beside, chunkOf(message, newest)));
    this.#beside = undefined;
  }

  /** What is still to be emitted of the answer to continue with; `given` is the model's own. */
  rest(answer: Answer, given: Answer | undefined): readonly Chunk[] {
    const held = [...(this.#beside ? [this.#beside] : []), ...this.#held];
    const text = textOf(answer);
    // What was shown of an answer before the model was asked again is not in this one.
    const isShown = this.#said === text || (this.#said !== '' && text.endsWith(this.#said));
    if (answer === given && isShown) return held;
    const merged = held.reduce<Chunk | undefined>(join, undefined);
    const { additional_kwargs, response_metadata, usage_metadata } = merged?.message ?? {};
    const message = this.#message(answer, {
      content: !isShown ? text : merged ? contentHeld(answer, merged.message) : '',
      tool_call_chunks: callChunksOf(answer),
      additional_kwargs: withoutCopies(additional_kwargs),
      response_metadata: withoutCopies(response_metadata),
      ...(usage_metadata && { usage_metadata }),
    });
    return [chunkOf(message, merged ?? this.#newest)];
  }

  #withoutText(chunk: Chunk): Chunk {
    const { message } = chunk;
    const { additional_kwargs, response_metadata, tool_call_chunks = [], usage_metadata } = message;
    const rest = this.#message(message, {
      content: withoutTexts(message.content),
      tool_call_chunks,
      additional_kwargs: wantsTools(message) ? additional_kwargs : withoutCopies(additional_kwargs),
      response_metadata,
      ...(usage_metadata && { usage_metadata }),
    });
    return chunkOf(rest, chunk);
  }

  #message({ id = this.#newest?.message.id, name }: Answer, fields: object): Answer {
    return new this.#core.AIMessageChunk({
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...fields,
    });
  }
}

const join = (one: Chunk | undefined, other: Chunk): Chunk => one?.concat(other) ?? other;

const isText = (block: string | Block): boolean =>
  typeof block === 'string' || block.type === 'text';

const blocksOf = ({ content }: Answer): readonly (string | Block)[] =>
  typeof content === 'string' ? [] : content;

/** Whether a chunk's content has anything other than text. */
const hasOthers = (message: Answer): boolean => blocksOf(message).some((block) => !isText(block));

/** Which of several texts in the content a chunk belongs to. */
function placeOf(message: Answer): unknown {
  const block = blocksOf(message).find(isText);
  return typeof block === 'object' ? block['index'] : undefined;
}

/** The content without its texts; a text block may carry more than the text itself. */
function withoutTexts(content: Content): Content {
  if (typeof content === 'string') return '';
  return content.flatMap((block) => {
    if (typeof block === 'string') return [];
    if (!isText(block)) return [block];
    const { type: _, text: __, index: ___, ...more } = block;
    return Object.keys(more).length > 0 ? [{ ...block, text: '' }] : [];
  });
}
