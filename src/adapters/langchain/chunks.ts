import { isCallBlock } from './answer.ts';
import { loadCore } from './core.ts';
import type { Answer, Chunk } from './types.ts';

/** Whether an answer, or a piece of one, is about tool calls. */
export const wantsTools = (message: Answer): boolean =>
  (message.tool_call_chunks?.length ?? 0) > 0 ||
  (message.tool_calls?.length ?? 0) > 0 ||
  (typeof message.content !== 'string' && message.content.some(isCallBlock)) ||
  ['tool_calls', 'function_call'].some((key) => message.additional_kwargs?.[key] !== undefined) ||
  message.response_metadata?.['output'] !== undefined;

export const textOf = ({ content }: Answer): string =>
  typeof content === 'string'
    ? content
    : content
        .map((block) =>
          typeof block === 'string' ? block : block.type === 'text' ? block.text : '',
        )
        .join('');

/** What is still to come of a changed answer, as one chunk: all of it, or what was held back. */
export async function changedChunk(
  answer: Answer,
  held: readonly Chunk[],
  heldText: boolean,
): Promise<Chunk> {
  const { AIMessageChunk } = await loadCore();
  const [first, ...rest] = held;
  const merged = first && rest.reduce((all, chunk) => all.concat(chunk), first);
  const content = heldText || !merged ? answer.content : contentHeld(answer, merged.message);
  const { id, name, usage_metadata, additional_kwargs, response_metadata } = answer;
  const message = new AIMessageChunk({
    content,
    tool_call_chunks: callChunksOf(answer),
    additional_kwargs: additional_kwargs ?? {},
    response_metadata: response_metadata ?? {},
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...((heldText ? usage_metadata : merged?.message.usage_metadata) && {
      usage_metadata: heldText ? usage_metadata : merged!.message.usage_metadata,
    }),
  });
  return chunkOf(message, merged);
}

/** The tool calls of an answer as chunks, one for each. */
export const callChunksOf = ({ tool_calls = [] }: Answer): object[] =>
  tool_calls.map(({ id, name, args }, index) => ({
    type: 'tool_call_chunk',
    index,
    id,
    name,
    args: JSON.stringify(args),
  }));

/** The held content of an answer, with the tool calls as the answer has them. */
export function contentHeld(answer: Answer, held: Answer): Answer['content'] {
  if (typeof held.content === 'string' || typeof answer.content === 'string') return held.content;
  const calls = answer.content.filter(isCallBlock);
  return [...held.content.filter((block) => !isCallBlock(block)), ...calls];
}

/** A chunk of the same class as `like`, if there is one. */
export function chunkOf(message: Answer, like: Chunk | undefined): Chunk {
  const text = textOf(message);
  const fields = { text, message };
  if (like === undefined) return plainChunk(fields);
  const Class = like.constructor as new (fields: object) => Chunk;
  return new Class({ ...fields, generationInfo: like.generationInfo });
}

const plainChunk = (fields: { readonly text: string; readonly message: Answer }): Chunk => ({
  ...fields,
  concat: (other) => {
    const Class = other.constructor as new (fields: object) => Chunk;
    return new Class(fields).concat(other);
  },
});
