import { isRecord } from '../../base/json.ts';

/**
 * What hooks appended to a result that is an object: the program gets the object alone, the model reads both.
 */
const appendedTo = new WeakMap<object, string>();

export const annotate = (output: object, text: string): void =>
  void appendedTo.set(output, text.trim());

type ToModelOutput = (given: unknown) => unknown;

/**
 * A tool's `toModelOutput` with what hooks appended; `unchanged` is used if the tool has none and hooks
 * appended nothing. AI SDK 5 passes the output and wants the answer at once; since 6 it passes the call as
 * well.
 */
export function withAnnotations(
  own: ToModelOutput | undefined,
  unchanged: ToModelOutput = plain,
): ToModelOutput {
  return (given) => {
    const output = outputOf(given);
    const text = isObject(output) ? appendedTo.get(output) : undefined;
    if (text === undefined) return own ? own(given) : unchanged(output);
    const shown = own ? own(given) : plain(output);
    return isPromiseLike(shown) ? shown.then((late) => added(late, text)) : added(shown, text);
  };
}

function outputOf(given: unknown): unknown {
  const isCall =
    isRecord(given) && !appendedTo.has(given) && 'toolCallId' in given && 'output' in given;
  return isCall ? given['output'] : given;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  isObject(value) && 'then' in value;

/** What the SDK itself makes of an output. */
const plain = (output: unknown): object =>
  typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: output ?? null };

function added(shown: unknown, text: string): unknown {
  if (!isRecord(shown)) return shown;
  const { type, value } = shown;
  const note = { type: 'text', text };
  if (type === 'content' && Array.isArray(value)) return { ...shown, value: [...value, note] };
  if (type === 'text' || type === 'error-text')
    return { ...shown, value: `${String(value)}\n\n${text}` };
  if (type === 'json')
    return { type: 'content', value: [{ type: 'text', text: JSON.stringify(value) }, note] };
  if (type === 'error-json')
    return { type: 'error-text', value: `${JSON.stringify(value)}\n\n${text}` };
  return shown;
}
