import { inspect } from 'node:util';
import { toCallOptions } from './ai-sdk/call-options.ts';
import { Answer } from './ai-sdk/answer.ts';
import type { AiSdkLanguageModel, AiSdkStream, Specification, StreamPart } from './ai-sdk/types.ts';
import type { Model } from '../../core/translate/model.ts';
import { ModelError } from './model-error.ts';
import { modelFailure } from './model-failure.ts';
import { untilAbort } from './until-abort.ts';

export interface AiSdkModelOptions {
  /**
   * Creates the model for a request that names another one, so that a hook can choose. Without it, every
   * request goes to the same model.
   */
  readonly modelFor?: (modelId: string) => AiSdkLanguageModel;
}

/**
 * Any language model object of the Vercel AI SDK, with specification v2 to v4 (AI SDK 5 to 7). It is
 * called once per call, without the SDK's retries. `candidateCount` has no counterpart there.
 *
 * @example
 * const model = aiSdkModel(createOpenAICompatible({ name: 'local', baseURL }).chatModel('qwen3'));
 */
export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): Model {
  specificationOf(model);
  const name = model.modelId;
  return {
    name,
    generate: (request, { signal, onText }) =>
      untilAbort(signal, async (abortSignal) => {
        try {
          const asked =
            request.model && request.model !== name
              ? (options.modelFor?.(request.model) ?? model)
              : model;
          const callOptions = toCallOptions(request, specificationOf(asked), abortSignal);
          const { stream } = await asked.doStream(callOptions as never);
          const answer = new Answer(asked.modelId, onText);
          for await (const part of partsOf(stream)) {
            abortSignal.throwIfAborted();
            answer.add(part);
          }
          return answer.whole();
        } catch (error) {
          throw modelFailure(name, error);
        }
      }),
  };
}

const specifications: readonly string[] = ['v2', 'v3', 'v4'] satisfies Specification[];

function specificationOf(model: AiSdkLanguageModel): Specification {
  const version: unknown = (model as Partial<AiSdkLanguageModel> | undefined)?.specificationVersion;
  if (typeof version === 'string' && specifications.includes(version))
    return version as Specification;
  throw new ModelError(
    version === undefined
      ? 'this is not an AI SDK language model object; give one such as openai("gpt-5")'
      : `language models of specification ${inspect(version)} are not supported; use one of ${specifications.join(', ')}`,
  );
}

async function* partsOf(stream: AiSdkStream): AsyncGenerator<StreamPart> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value as StreamPart;
    }
  } finally {
    // It rejects if the stream has failed, which was already reported to the reader.
    reader.cancel().catch(() => undefined);
  }
}
