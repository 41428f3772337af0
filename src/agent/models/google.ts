import type { GenAIRequest, GenAIResponse } from '../../core/translate/genai-types.ts';
import { joinChunks } from './join-chunks.ts';
import { textOf } from '../../core/translate/turns.ts';
import { googleRequest } from './google-request.ts';
import type { Model } from '../../core/translate/model.ts';
import { modelFailure } from './model-failure.ts';
import { untilAbort } from './until-abort.ts';

/** The part of the `@google/genai` client that is used. */
export interface GoogleClient {
  readonly models: {
    generateContentStream(params: never): Promise<AsyncIterable<GenAIResponse>>;
  };
}

/**
 * A model behind the unmodified `@google/genai` client. A request that names another model is sent
 * to that one, so that a hook can choose.
 *
 * @example
 * const model = googleModel(new GoogleGenAI({ apiKey }), 'gemini-2.5-flash');
 */
export function googleModel(client: GoogleClient, name: string): Model {
  return {
    name,
    generate: (request, { signal, onText }) =>
      untilAbort(signal, async (abortSignal) => {
        try {
          const chunks: GenAIResponse[] = [];
          const params = googleRequest({ ...request, model: request.model || name }, abortSignal);
          for await (const chunk of await stream(client, params)) {
            abortSignal.throwIfAborted();
            chunks.push(chunk);
            const text = shownText(chunk);
            if (text !== '') onText?.(text);
          }
          return joinChunks(chunks, name);
        } catch (error) {
          throw modelFailure(name, error);
        }
      }),
  };
}

// The client's own types use enums, which no string type is assignable to.
const stream = (client: GoogleClient, params: GenAIRequest) =>
  client.models.generateContentStream(params as never);

/**
 * The text that a chunk adds to the first candidate. The SDK's own `text` logs a console warning for parts
 * that are not text.
 */
const shownText = ({ candidates }: GenAIResponse): string =>
  (candidates?.find(({ index }) => (index ?? 0) === 0)?.content?.parts ?? [])
    .map((part) => textOf(part) ?? '')
    .join('');
