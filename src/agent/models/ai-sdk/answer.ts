import { defined, isRecord, inTable } from '../../../base/json.ts';
import { debugChannel } from '../../../base/log.ts';
import type { GenAIResponse } from '../../../core/translate/genai-types.ts';
import { joined, textsOf } from '../../../core/translate/turns.ts';
import type { ModelPart } from '../../../core/translate/model.ts';
import { ModelError } from '../model-error.ts';
import { brokenOff } from '../model-failure.ts';
import type { Metadata, StreamPart } from './types.ts';

const debug = debugChannel('model');

/** Collects the parts of a stream into one whole response. */
export class Answer {
  readonly #model: string;
  readonly #onText: ((text: string) => void) | undefined;
  readonly #parts: Written[] = [];
  /** The open text blocks, by id. */
  readonly #open = new Map<string, Written>();
  #metadata: ResponseMetadata = {};
  #finish: Extract<StreamPart, { type: 'finish' }> | undefined;

  constructor(model: string, onText?: (text: string) => void) {
    this.#model = model;
    this.#onText = onText;
  }

  add(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#block(part);
        return;
      case 'text-delta':
      case 'reasoning-delta': {
        const block = this.#block(part);
        block.text = `${block.text ?? ''}${part.delta}`;
        if (part.type === 'text-delta' && part.delta !== '') this.#onText?.(part.delta);
        return;
      }
      case 'text-end':
      case 'reasoning-end':
        this.#block(part);
        this.#open.delete(keyOf(part));
        return;
      case 'tool-call':
        // A call that the provider runs itself is not for our tools.
        if (part.providerExecuted !== true) this.#parts.push(this.#toCall(part));
        return;
      case 'file':
        this.#parts.push({ ...fileOf(part), ...signed(part.providerMetadata) });
        return;
      case 'response-metadata':
        this.#metadata = defined<ResponseMetadata>({
          responseId: part.id,
          modelVersion: part.modelId,
          createTime: part.timestamp?.toISOString(),
        });
        return;
      case 'stream-start':
        for (const warning of part.warnings) debug('%s: %o', this.#model, warning);
        return;
      case 'finish':
        this.#finish = part;
        return;
      case 'error':
        throw part.error;
      default:
    }
  }

  /**
   * Returns the response.
   *
   * @throws {ModelError} if the stream ended before it was complete, or with an error
   */
  whole(): GenAIResponse {
    const finishReason = finishReasonOf(this.#finish?.finishReason);
    if (finishReason === undefined) throw brokenOff(this.#model);
    if (finishReason === 'ERROR')
      throw new ModelError(
        `${this.#model}: the provider ended the answer with an error; try again`,
        {
          retryable: true,
        },
      );
    const parts = this.#parts.filter(
      ({ text, providerMetadata }) => text !== '' || providerMetadata !== undefined,
    ) as ModelPart[];
    return defined<GenAIResponse>({
      text: joined(textsOf(parts)),
      candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
      usageMetadata: usageOf(this.#finish?.usage),
      modelVersion: this.#model,
      ...this.#metadata,
    });
  }

  #block(part: BlockPart): Written {
    const key = keyOf(part);
    let block = this.#open.get(key);
    if (block === undefined) {
      block = { text: '', ...(part.type.startsWith('reasoning') && { thought: true }) };
      this.#open.set(key, block);
      this.#parts.push(block);
    }
    const metadata = part.providerMetadata;
    if (metadata !== undefined) block.providerMetadata = join(block.providerMetadata, metadata);
    return block;
  }

  #toCall({ toolCallId, toolName, input, providerMetadata }: ToolCall): Written {
    return {
      functionCall: { id: toolCallId, name: toolName, args: this.#argumentsOf(toolName, input) },
      ...signed(providerMetadata),
    };
  }

  #argumentsOf(tool: string, input: string): Record<string, unknown> {
    // Models write nothing, or null, if a call has no arguments.
    if (input.trim() === '') return {};
    try {
      const args: unknown = JSON.parse(input) ?? {};
      if (isRecord(args)) return { ...args };
    } catch {
      // Reported below.
    }
    throw new ModelError(
      `${this.#model}: the model called ${tool} with arguments that are not a JSON object; try again`,
      { retryable: true, cause: input },
    );
  }
}

type ResponseMetadata = Pick<GenAIResponse, 'responseId' | 'modelVersion' | 'createTime'>;
type Written = { -readonly [Key in keyof ModelPart]: ModelPart[Key] };
type ToolCall = Extract<StreamPart, { type: 'tool-call' }>;
type BlockPart = Extract<StreamPart, { id: string; providerMetadata?: Metadata }>;

/** Text and reasoning number their blocks separately. */
const keyOf = ({ type, id }: BlockPart): string => `${type.split('-')[0]} ${id}`;

const signed = (providerMetadata: Metadata | undefined): Pick<ModelPart, 'providerMetadata'> =>
  providerMetadata === undefined ? {} : { providerMetadata };

/** Signatures arrive in pieces, with the start, a delta or the end of a block. */
const join = (before: ModelPart['providerMetadata'] = {}, after: Metadata): Metadata => ({
  ...(before as Metadata),
  ...Object.fromEntries(
    Object.entries(after).map(([provider, values]) => [
      provider,
      { ...(before as Metadata)[provider], ...values },
    ]),
  ),
});

function fileOf({ mediaType, data }: Extract<StreamPart, { type: 'file' }>): ModelPart {
  if (typeof data === 'string') return { inlineData: { mimeType: mediaType, data } };
  if (ArrayBuffer.isView(data))
    return { inlineData: { mimeType: mediaType, data: Buffer.from(data).toString('base64') } };
  const wrapped: {
    readonly type: string;
    readonly data?: string | Uint8Array;
    readonly url?: URL;
  } = data;
  return wrapped.data === undefined
    ? { fileData: { mimeType: mediaType, fileUri: String(wrapped.url) } }
    : fileOf({ type: 'file', mediaType, data: wrapped.data });
}

const finishReasons: Readonly<Record<string, string>> = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  error: 'ERROR',
  other: 'OTHER',
};

/**
 * The finish reason in Google's terms; undefined if the provider gave none, which is how a broken-off stream
 * ends. v2 reports a reason that it does not know in the same way, so that counts as broken off too.
 */
function finishReasonOf(reason: unknown): string | undefined {
  if (typeof reason === 'string') return inTable(finishReasons, reason);
  if (!isRecord(reason)) return undefined;
  const { unified, raw } = reason;
  if (unified === 'other' && raw === undefined) return undefined;
  return inTable(finishReasons, String(unified));
}

function usageOf(usage: unknown): GenAIResponse['usageMetadata'] {
  if (!isRecord(usage)) return undefined;
  const promptTokenCount = totalOf(usage['inputTokens']);
  const candidatesTokenCount = totalOf(usage['outputTokens']);
  const sum =
    promptTokenCount === undefined || candidatesTokenCount === undefined
      ? undefined
      : promptTokenCount + candidatesTokenCount;
  const counts = defined<NonNullable<GenAIResponse['usageMetadata']>>({
    promptTokenCount,
    candidatesTokenCount,
    totalTokenCount: totalOf(usage['totalTokens']) ?? sum,
  });
  return Object.keys(counts).length > 0 ? counts : undefined;
}

/** A token count, which is plain in v2 and has parts since v3. */
function totalOf(count: unknown): number | undefined {
  const total = isRecord(count) ? count['total'] : count;
  return typeof total === 'number' && Number.isFinite(total) ? total : undefined;
}
