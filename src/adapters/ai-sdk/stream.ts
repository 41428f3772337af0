import type { NeutralPart, NeutralRequest, NeutralResponse } from '../../agent/model-call.ts';
import type { AgentHooks } from '../agent-hooks.ts';
import { finishReason, finishReasonOf, fromPart, toPart, usageFor, usageOf } from './answer.ts';
import type { Content, StreamPart } from './types.ts';

/** A piece of a streamed answer with the parts of the stream that it came in. */
interface Streamed extends Content {
  readonly stream: readonly StreamPart[];
}

interface Block {
  readonly parts: StreamPart[];
  content: Content;
}

/**
 * One answer as it streams in: what hooks may still change is held back, and with it all that follows,
 * so that the order stays; all else goes out at once.
 */
export class LiveAnswer {
  readonly #hooks: AgentHooks;
  readonly #request: NeutralRequest;
  readonly #emit: (part: StreamPart) => void;
  readonly #isFirst: boolean;
  readonly #holdsRaw: boolean;
  readonly #blocks: Block[] = [];
  /** Blocks that are being written, by kind and id. */
  readonly #open = new Map<string, Block>();
  readonly #emitted = new Set<StreamPart>();
  #isHolding = false;
  #finish: StreamPart | undefined;
  #error: { readonly error: unknown } | undefined;

  constructor(
    hooks: AgentHooks,
    request: NeutralRequest,
    emit: (part: StreamPart) => void,
    isFirst: boolean,
  ) {
    this.#isFirst = isFirst;
    this.#hooks = hooks;
    this.#request = request;
    this.#emit = emit;
    this.#holdsRaw =
      hooks.holdsAnswers() || (request.tools ?? []).some((name) => hooks.holdsCall(name));
  }

  /** Whether the provider reported an error in the stream. */
  get hasFailed(): boolean {
    return this.#error !== undefined;
  }

  /** Ends an answer that failed: nothing that was held back goes out. */
  end(): void {
    if (this.#finish) this.#emit(this.#finish);
  }

  add(part: StreamPart): void {
    switch (part.type) {
      case 'finish':
        this.#finish = part;
        return;
      case 'error':
        this.#error = { error: part.error };
        this.#emit(part);
        return;
      case 'stream-start':
        if (this.#isFirst) this.#emit(part);
        return;
      case 'response-metadata':
        this.#emit(part);
        return;
      default:
    }
    this.#isHolding ||= this.#mayChange(part);
    this.#keep(part);
    if (this.#isHolding) return;
    this.#emitted.add(part);
    this.#emit(part);
  }

  /** The whole answer, once the stream has ended. */
  response(): NeutralResponse {
    if (this.#error) throw this.#error.error;
    const usage = usageOf(this.#finish?.usage);
    return {
      parts: this.#blocks.map(({ content, parts }) => {
        const streamed: Streamed = { ...content, stream: parts };
        return toPart(streamed, this.#request, this.#hooks);
      }),
      finishReason: finishReasonOf(this.#finish?.finishReason),
      ...(usage && { usage }),
    };
  }

  /** Lets out what was held back, as hooks left it. */
  release(response: NeutralResponse, specification: string): void {
    const isSame = this.#isAsGiven(response);
    for (const part of response.parts) this.#release(part, isSame);
    const hasCalls = response.parts.some(({ call }) => call !== undefined);
    const hadCalls = this.#blocks.some(({ content }) => content.type === 'tool-call');
    this.#emit({
      ...(this.#finish ?? { type: 'finish', usage: usageFor(specification, response) }),
      finishReason: finishReason(
        response,
        this.#finish?.finishReason,
        hasCalls || !hadCalls,
        specification,
      ),
    });
  }

  #isAsGiven({ parts }: NeutralResponse): boolean {
    return (
      parts.length === this.#blocks.length &&
      parts.every(
        (part, index) =>
          (part.original as Streamed | undefined)?.stream === this.#blocks[index]?.parts &&
          !isRewritten(part),
      )
    );
  }

  #release(part: NeutralPart, isSame: boolean): void {
    const { stream } = (part.original ?? {}) as Partial<Streamed>;
    if (stream === undefined) {
      if (part.text !== undefined && part.text !== '') textBlock(part.text).forEach(this.#emit);
      return;
    }
    // The provider's own events hold what hooks changed.
    if (stream[0]?.type === 'raw' && !isSame) return;
    const parts = isRewritten(part) ? rewritten(part, stream) : stream;
    for (const held of parts) if (!this.#emitted.has(held)) this.#emit(held);
  }

  #mayChange({ type, toolName = '', providerExecuted }: StreamPart): boolean {
    switch (type) {
      case 'text-start':
      case 'text-delta':
        return this.#hooks.holdsAnswers();
      case 'raw':
        return this.#holdsRaw;
      case 'tool-input-start':
      case 'tool-call':
        return !providerExecuted && this.#hooks.holdsCall(toolName);
      default:
        return false;
    }
  }

  #keep(part: StreamPart): void {
    const [kind, step] = splitType(part);
    if (step === undefined) {
      const id = part.type === 'tool-call' ? part.toolCallId : undefined;
      const begun = id === undefined ? undefined : this.#open.get(`tool-input ${id}`);
      if (begun) {
        begun.parts.push(part);
        begun.content = part;
        this.#open.delete(`tool-input ${id}`);
      } else this.#blocks.push({ parts: [part], content: part });
      return;
    }
    const key = `${kind} ${part.id}`;
    let block = this.#open.get(key);
    if (block === undefined) {
      block = {
        parts: [],
        content: { type: kind, ...(kind === 'tool-input' ? {} : { text: '' }) },
      };
      this.#open.set(key, block);
      this.#blocks.push(block);
    }
    block.parts.push(part);
    const { providerMetadata } = part as { readonly providerMetadata?: unknown };
    block.content = {
      ...block.content,
      ...(block.content.text !== undefined && { text: block.content.text + (part.delta ?? '') }),
      ...(providerMetadata !== undefined && { providerMetadata }),
    };
    // The call itself follows the end of its arguments.
    if (step === 'end' && kind !== 'tool-input') this.#open.delete(key);
  }
}

const blockParts = /^(text|reasoning|tool-input)-(start|delta|end)$/;

const splitType = ({ type }: StreamPart): readonly [kind: string, step?: string] => {
  const [, kind = type, step] = blockParts.exec(type) ?? [];
  return step === undefined ? [kind] : [kind, step];
};

/** Whether the arguments of a call are others than those in the stream. */
function isRewritten({ call, original }: NeutralPart): boolean {
  if (call === undefined) return false;
  const { input = '' } = original as Streamed;
  return (
    JSON.stringify(call.input) !== JSON.stringify(input.trim() === '' ? {} : JSON.parse(input))
  );
}

/** A call with other arguments: they come in one piece. */
function rewritten(part: NeutralPart, stream: readonly StreamPart[]): StreamPart[] {
  const { stream: _stream, ...call } = fromPart(part) as Streamed;
  const start = stream.find(({ type }) => type === 'tool-input-start');
  const end = stream.find(({ type }) => type === 'tool-input-end');
  const { toolCallId: id = '', input = '' } = call;
  return [
    ...(start ? [start, { type: 'tool-input-delta', id, delta: input }] : []),
    ...(start ? [end ?? { type: 'tool-input-end', id }] : []),
    call,
  ];
}

let blocksMade = 0;

/** A text of hooks. */
function textBlock(delta: string): StreamPart[] {
  blocksMade += 1;
  const id = `hook-${blocksMade}`;
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
  ];
}

/** An answer that no model gave, as a stream. */
export function spoken(response: NeutralResponse, specification: string): StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] } as StreamPart,
    ...response.parts.flatMap(({ text }) => (text ? textBlock(text) : [])),
    {
      type: 'finish',
      usage: usageFor(specification, response),
      finishReason: finishReason(response, undefined, false, specification),
    },
  ];
}
