import { isRecord } from '../protocol/output.ts';

/** Some texts as one, as the SDK joins them. */
export const joined = (texts: readonly string[]): string => texts.join('');

/**
 * The texts of a list of parts, without empty ones (HOOK-075). Parts are texts or `{text}` (C-72). A
 * thought is not among them: it is the model talking to itself.
 */
export function textsOf(parts: unknown): string[] {
  return (Array.isArray(parts) ? parts : [parts])
    .map((part) => textOf(part) ?? '')
    .filter((text) => text !== '');
}

/** The text of one part, if it has one. */
export function textOf(part: unknown): string | undefined {
  const text = isRecord(part) && part['thought'] !== true ? part['text'] : part;
  return typeof text === 'string' ? text : undefined;
}

/** A value as JSON text, or the name of its type when it has no JSON form. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
