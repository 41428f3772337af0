import type { NeutralPart, NeutralResponse } from '../../core/calls/run-model-call.ts';
import type { Core } from './core.ts';
import type { Answer, Block, WantedCall } from './types.ts';
import { inTable } from '../../base/json.ts';

/** What a part of an answer is in LangChain. */
interface AnswerPiece {
  readonly answer: Answer;
  readonly block?: string | Block;
  readonly call?: WantedCall;
}

/** Calls that represent structured output, which LangChain itself answers. */
const isStructuredOutput = ({ name }: WantedCall): boolean => name.startsWith('extract-');

/** The parts of an answer as hooks see them: its texts, its tool calls, and what concerns only the model. */
export function partsOfAnswer(answer: Answer): NeutralPart[] {
  const { content, tool_calls: calls = [] } = answer;
  const blocks = typeof content === 'string' ? (content === '' ? [] : [content]) : content;
  return [
    ...blocks.map((block): NeutralPart => {
      const original: AnswerPiece = { answer, block };
      if (typeof block === 'string') return { text: block, original };
      return block.type === 'text' && typeof block.text === 'string'
        ? { text: block.text, original }
        : { original };
    }),
    ...calls.map((call): NeutralPart => {
      const original: AnswerPiece = { answer, call };
      if (isStructuredOutput(call)) return { original };
      const { id = '', name, args } = call;
      return { call: { id, name, input: args }, original };
    }),
  ];
}

/** An answer as hooks see it. */
export function toNeutralResponse(answer: Answer): NeutralResponse {
  const { usage_metadata: usage, response_metadata: metadata = {} } = answer;
  const reason =
    metadata['finish_reason'] ?? metadata['stop_reason'] ?? metadata['finishReason'] ?? 'stop';
  return {
    parts: partsOfAnswer(answer),
    finishReason: (typeof reason === 'string' && inTable(finishReasons, reason)) || 'OTHER',
    ...(usage && {
      usage: {
        ...(usage.input_tokens !== undefined && { promptTokenCount: usage.input_tokens }),
        ...(usage.output_tokens !== undefined && { candidatesTokenCount: usage.output_tokens }),
        ...(usage.total_tokens !== undefined && { totalTokenCount: usage.total_tokens }),
      },
    }),
  };
}

const finishReasons: Readonly<Record<string, string>> = {
  stop: 'STOP',
  end_turn: 'STOP',
  stop_sequence: 'STOP',
  tool_calls: 'STOP',
  tool_use: 'STOP',
  function_call: 'STOP',
  STOP: 'STOP',
  length: 'MAX_TOKENS',
  max_tokens: 'MAX_TOKENS',
  MAX_TOKENS: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  refusal: 'SAFETY',
  SAFETY: 'SAFETY',
};

/** The answer that parts make up: the original object if they are all its own. */
export function answerFrom(parts: readonly NeutralPart[], core: Core): Answer {
  const base = parts.map(pieceOf).find((piece) => piece !== undefined)?.answer;
  if (base === undefined) return new core.AIMessage({ content: textOf(parts) });
  return isUnchanged(base, parts) ? base : changed(base, parts, core);
}

/** The model's answer as a response changes it. */
export const answerOf = (
  { parts }: NeutralResponse,
  given: Answer | undefined,
  core: Core,
): Answer => {
  if (given === undefined) return answerFrom(parts, core);
  return isUnchanged(given, parts) ? given : changed(given, parts, core);
};

const pieceOf = ({ original }: NeutralPart): AnswerPiece | undefined =>
  typeof original === 'object' && original !== null && 'answer' in original
    ? (original as AnswerPiece)
    : undefined;

const textOf = (parts: readonly NeutralPart[]): string =>
  parts.map(({ text }) => text ?? '').join('');

function isUnchanged(given: Answer, parts: readonly NeutralPart[]): boolean {
  const own = partsOfAnswer(given);
  return (
    own.length === parts.length &&
    own.every(({ text, call }, index) => {
      const part = parts[index]!;
      return (
        pieceOf(part)?.answer === given && part.text === text && part.call?.input === call?.input
      );
    })
  );
}

/** The keys under which providers keep a second copy of what the model said. */
const copies = ['tool_calls', 'function_call', 'output', '__raw_response', 'tool_call_chunks'];

export const withoutCopies = (
  record: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record ?? {}).filter(([key]) => !copies.includes(key)));

function changed(given: Answer, parts: readonly NeutralPart[], core: Core): Answer {
  const calls = parts.flatMap((part): WantedCall[] => {
    const call = pieceOf(part)?.call;
    if (part.call === undefined) return call ? [call] : [];
    const { id, name, input } = part.call;
    return [call?.args === input ? call : { ...call, id, name, args: input }];
  });
  const { id, name, usage_metadata, invalid_tool_calls } = given;
  return new core.AIMessage({
    content: contentOf(given, parts, calls),
    tool_calls: calls.map((call) => ({ ...call, type: 'tool_call' })),
    ...(invalid_tool_calls && { invalid_tool_calls }),
    additional_kwargs: withoutCopies(given.additional_kwargs),
    response_metadata: withoutCopies(given.response_metadata),
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(usage_metadata && { usage_metadata }),
  });
}

function contentOf(
  given: Answer,
  parts: readonly NeutralPart[],
  calls: readonly WantedCall[],
): string | Block[] {
  if (typeof given.content === 'string') return textOf(parts);
  const blocks = parts.flatMap((part): Block[] => {
    const piece = pieceOf(part);
    if (part.call !== undefined || piece?.call) return [];
    const block = piece?.block;
    if (typeof block === 'object') return [block];
    return [{ type: 'text', text: part.text ?? '' }];
  });
  return withCalls(blocks, calls);
}

/** Blocks in which providers repeat which tools the model wants. */
const callBlocks = [
  'tool_use',
  'tool_call',
  'tool_call_chunk',
  'input_json_delta',
  'function_call',
];

/** Whether a block is about a tool call. */
export const isCallBlock = (block: string | Block): boolean =>
  typeof block === 'object' && callBlocks.includes(block.type ?? '');

/** The blocks with the final arguments; blocks that belong to no remaining call are dropped. */
function withCalls(blocks: readonly Block[], calls: readonly WantedCall[]): Block[] {
  return blocks.flatMap((block) => {
    if (!isCallBlock(block)) return [block];
    const call = calls.find(({ id }) => id !== undefined && id === (block['call_id'] ?? block.id));
    if (call === undefined) return [];
    switch (block.type) {
      case 'tool_use':
        return [{ ...block, input: call.args }];
      case 'tool_call':
        return [{ ...block, args: call.args }];
      case 'function_call':
        return [{ ...block, arguments: JSON.stringify(call.args) }];
      default:
        return [{ ...block, args: JSON.stringify(call.args) }];
    }
  });
}

/** The names of the tools that the provider ran for this answer. */
export function providerToolsIn({ content, additional_kwargs: more = {} }: Answer): string[] {
  const blocks = typeof content === 'string' ? [] : content;
  const outputs = Array.isArray(more['tool_outputs']) ? (more['tool_outputs'] as Block[]) : [];
  return [
    ...blocks.flatMap((block) =>
      typeof block === 'object' &&
      /^server_tool_(?:use|call)$|^mcp_tool_use$/.test(block.type ?? '')
        ? [typeof block['name'] === 'string' ? block['name'] : block.type!]
        : [],
    ),
    ...outputs.map(({ type }) => String(type)),
  ];
}
