import type { Content, GenerateContentParameters, Part } from '@google/genai';

export const user = (...parts: (string | Part)[]): Content => content('user', parts);
export const model = (...parts: (string | Part)[]): Content => content('model', parts);
export const call = (name: string, id?: string): Part => ({
  functionCall: { name, args: { path: 'a.txt' }, ...(id && { id }) },
});
export const response = (name: string, id?: string): Part => ({
  functionResponse: { name, response: { output: 'ok' }, ...(id && { id }) },
});
export const image: Part = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };

/** Returns a request with the given contents. */
export const requestOf = (...contents: Content[]): GenerateContentParameters => ({
  model: 'gemini-2.5-pro',
  contents,
});

/** Freezes a value deeply, so that code which changes it throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

/** Returns a source of whole numbers from 0 to below `below`, the same ones for the same seed. */
export function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const content = (role: string, parts: (string | Part)[]): Content => ({
  role,
  parts: parts.map((part) => (typeof part === 'string' ? { text: part } : part)),
});
