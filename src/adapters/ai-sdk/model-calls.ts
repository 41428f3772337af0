import type { CallNeutralModel, NeutralResponse } from '../../core/calls/run-model-call.ts';
import { onAbort } from '../../core/run/run-machine.ts';
import type { AgentHooks } from '../parts/agent-hooks.ts';
import { fromResponse, toResponse, warnOfProviderTool } from './answer.ts';
import { fromNeutral, toNeutral } from './request.ts';
import { LiveAnswer, spoken } from './stream.ts';
import type { CallOptions, GenerateResult, StreamPart, StreamResult } from './types.ts';

/** A model, asked with the options that hooks left and the model id that they chose. */
export interface AskedModel {
  readonly specificationVersion: string;
  readonly modelId: string;
  generate(options: CallOptions, modelId: string): PromiseLike<GenerateResult>;
  stream(options: CallOptions, modelId: string): PromiseLike<StreamResult>;
}

/** What happens to the tool calls in an answer. */
export interface Answering {
  readonly change: ChangeAnswer;
  /** Default: all calls are judged. */
  readonly judges?: (toolName: string) => boolean;
  /** Whether the user can be asked about a tool; default: whether the model's SDK can ask. */
  readonly canAsk?: (toolName: string) => boolean;
  /** Completes a whole answer, for frameworks that want more in it. */
  readonly complete?: (result: GenerateResult) => GenerateResult;
}

/** Takes denied calls out of an answer if nothing else would keep them from running. */
export type ChangeAnswer = (response: NeutralResponse) => Promise<NeutralResponse>;

/** Whether the SDK of a model can ask its user about a tool call. */
export const canAsk = ({
  specificationVersion,
}: Pick<AskedModel, 'specificationVersion'>): boolean => specificationVersion !== 'v2';

/** Whether no hook can act on a call. */
const isLeftAlone = (hooks: AgentHooks, { tools = [] }: CallOptions): boolean =>
  !hooks.judgesModelCall(tools.map(({ name }) => name));

/** `doGenerate` with the hooks around it. */
export async function generated(
  hooks: AgentHooks,
  model: AskedModel,
  options: CallOptions,
  { change, complete, ...judging }: Answering,
): Promise<GenerateResult> {
  await hooks.ready();
  if (!hooks.seesAnything()) return model.generate(options, model.modelId);
  if (isLeftAlone(hooks, options)) {
    const result = await model.generate(options, model.modelId);
    for (const content of result.content) warnOfProviderTool(hooks, content);
    return result;
  }
  const given = toNeutral(model.modelId, options);
  let result: GenerateResult | undefined;
  const response = await hooks.model(
    given,
    async (asked) => {
      result = await model.generate(fromNeutral(asked, given, options), asked.model);
      return toResponse(result, given, hooks);
    },
    { signal: options.abortSignal, key: options.prompt, canAsk: canAsk(model), ...judging },
  );
  const whole = fromResponse(await change(response), result, model.specificationVersion);
  return complete ? complete(whole) : whole;
}

/** `doStream` with the hooks around it. What no hook may change is emitted as it arrives. */
export async function streamed(
  hooks: AgentHooks,
  model: AskedModel,
  options: CallOptions,
  how: Answering,
): Promise<StreamResult> {
  await hooks.ready();
  if (!hooks.seesAnything()) return model.stream(options, model.modelId);
  if (isLeftAlone(hooks, options)) {
    const result = await model.stream(options, model.modelId);
    return { ...result, stream: result.stream.pipeThrough(warning(hooks)) };
  }
  const { abortSignal } = options;
  const cancel = new AbortController();
  if (abortSignal?.aborted) cancel.abort(abortSignal.reason);
  const stopListening = abortSignal && onAbort(abortSignal, () => cancel.abort(abortSignal.reason));
  const out = new Output(() => cancel.abort(new Error('the answer is no longer being read')));
  return new Promise<StreamResult>((resolve, reject) => {
    const asked = { hooks, model, options, how, signal: cancel.signal };
    const began = (result: object): void => resolve({ ...result, stream: out.stream });
    void pump(asked, out, began).then(stopListening, (error: unknown) => {
      stopListening?.();
      out.fail(error);
      // If the stream has begun, nobody waits for this promise any more.
      reject(error);
    });
  });
}

/** Passes everything on, and warns about the tools that the provider ran. */
const warning = (hooks: AgentHooks): TransformStream<StreamPart, StreamPart> =>
  new TransformStream({
    transform(part, controller) {
      warnOfProviderTool(hooks, part);
      controller.enqueue(part);
    },
  });

interface AskedStream {
  readonly hooks: AgentHooks;
  readonly model: AskedModel;
  readonly options: CallOptions;
  readonly how: Answering;
  readonly signal: AbortSignal;
}

/**
 * Asks a model as often as hooks want, and emits its answer; `began` is called with what is known before the
 * first piece.
 */
async function pump(
  { hooks, model, options, how: { change, complete: _, ...judging }, signal }: AskedStream,
  out: Output,
  began: (result: object) => void,
): Promise<void> {
  const given = toNeutral(model.modelId, options);
  const { specificationVersion } = model;
  let answer: LiveAnswer | undefined;
  const ask: CallNeutralModel = async (asked, abortSignal, text) => {
    const told = { ...fromNeutral(asked, given, options), abortSignal };
    const result = await model.stream(told, asked.model);
    const isFirst = answer === undefined;
    const live = new LiveAnswer(hooks, given, { emit: (part) => out.emit(part), isFirst, text });
    answer = live;
    began(result);
    for await (const part of partsOf(result.stream, abortSignal)) {
      const added = live.add(part);
      if (added) await added;
    }
    return live.response();
  };
  try {
    const onText = (more: string): void => answer?.show(more);
    const call = { signal, key: options.prompt, canAsk: canAsk(model), onText, ...judging };
    const judged = await hooks.model(given, ask, call);
    const response = await change(judged);
    if (answer) answer.release(response, specificationVersion, judged);
    else for (const part of spoken(response, specificationVersion)) out.emit(part);
    began({});
  } catch (error) {
    // The SDK has read the error in the stream.
    if (!answer?.hasFailed) throw error;
    answer.end();
  }
  out.close();
}

/** The stream that the SDK reads. */
class Output {
  #controller!: ReadableStreamDefaultController<StreamPart>;
  #isOver = false;
  readonly stream: ReadableStream<StreamPart>;

  constructor(onCancel: () => void) {
    this.stream = new ReadableStream<StreamPart>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#isOver = true;
        onCancel();
      },
    });
  }

  emit(part: StreamPart): void {
    if (!this.#isOver) this.#controller.enqueue(part);
  }

  close(): void {
    if (!this.#isOver) this.#controller.close();
    this.#isOver = true;
  }

  fail(error: unknown): void {
    if (!this.#isOver) this.#controller.error(error);
    this.#isOver = true;
  }
}

async function* partsOf(
  stream: ReadableStream<StreamPart>,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const reader = stream.getReader();
  // A provider may ignore the signal.
  const stopListening = onAbort(
    signal,
    () => void reader.cancel(signal.reason).catch(() => undefined),
  );
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    stopListening();
    // It rejects if the stream has failed, which the reader knows by then.
    reader.cancel().catch(() => undefined);
  }
}
