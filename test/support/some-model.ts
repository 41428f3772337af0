import type { GenerateOptions, Model } from '../../src/core/translate/model.ts';
import type {
  GenAIPart,
  GenAIRequest,
  GenAIResponse,
} from '../../src/core/translate/genai-types.ts';

/** What the model does when it is asked: says a text, returns a response, or runs a function. */
export type Turn =
  | string
  | GenAIResponse
  | ((request: GenAIRequest, options: GenerateOptions) => GenAIResponse | Promise<GenAIResponse>);

/** A model that records its requests. */
export interface SeenModel extends Model {
  readonly requests: GenAIRequest[];
}

/** A model that streams its texts word by word, one turn after the other; the last one repeats. */
export function someModel(...turns: Turn[]): SeenModel {
  const requests: GenAIRequest[] = [];
  return {
    name: 'some-model',
    requests,
    async generate(request, options) {
      const turn = turns[Math.min(requests.length, turns.length - 1)]!;
      requests.push(structuredClone(request));
      if (typeof turn === 'function') return turn(request, options);
      const response = typeof turn === 'string' ? saying(turn) : turn;
      for (const { text, thought } of response.candidates?.[0]?.content?.parts ?? [])
        if (text !== undefined && !thought)
          for (const word of text.split(/(?<= )/)) {
            options.onText?.(word);
            await Promise.resolve();
          }
      return response;
    },
  };
}

/** A response with these parts; a text is one. */
export const saying = (...parts: (string | GenAIPart)[]): GenAIResponse => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: parts.map((part) => (typeof part === 'string' ? { text: part } : part)),
      },
      finishReason: 'STOP',
      index: 0,
    },
  ],
});

/** A tool call as a part of a response. */
export const wanting = (name: string, args: Record<string, unknown>, id?: string): GenAIPart => ({
  functionCall: { name, args, ...(id !== undefined && { id }) },
});

/** A model that never answers, whatever happens. */
export const silent = (): Promise<never> => new Promise(() => undefined);
