import { isRecord } from '../../base/json.ts';

/** A text that holds an object or a list is seen as that, so that interceptors can speak about its members. */
function valueIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the value of a tool's result. */
export const valueOf = (response: unknown): unknown => {
  const content = isRecord(response) ? response['llmContent'] : response;
  return typeof content === 'string' ? valueIn(content) : (content ?? null);
};

/** Returns a result with another value. */
export function withValue(response: unknown, value: unknown): Readonly<Record<string, unknown>> {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...(isRecord(response) ? response : {}), llmContent: text, returnDisplay: text };
}
