import type {
  GenAIFunctionCall,
  GenAIFunctionResponse,
} from '../../../core/translate/genai-types.ts';

/**
 * Gives an id to each call and its result, which Google's own models omit. A result without an id belongs to
 * the earliest call of that name that has no result yet.
 */
export function callIds() {
  const waiting: { readonly id: string; readonly name: string | undefined }[] = [];
  let made = 0;
  const make = (): string => `call-${(made += 1)}`;
  return {
    called({ id = make(), name }: GenAIFunctionCall): string {
      waiting.push({ id, name });
      return id;
    },
    answered({ id, name }: GenAIFunctionResponse): string {
      const place = waiting.findIndex((call) =>
        id === undefined ? call.name === name : call.id === id,
      );
      const [call] = place === -1 ? [] : waiting.splice(place, 1);
      return call?.id ?? id ?? make();
    },
  };
}
