import { isDeepStrictEqual } from 'node:util';
import { isPromiseLike } from './annotations.ts';

type Parse = (input: unknown) => unknown;

/** As much of a schema as parses arguments: a Standard Schema, or one that the SDK made of JSON Schema. */
interface Parsing {
  readonly '~standard'?: { readonly validate: Parse };
  readonly validate?: Parse;
}

/** The arguments as the SDK gives them to a tool: with defaults, and transformed. Those that do not fit stay as they are. */
export function parsedBy(schema: unknown, input: unknown): unknown {
  if (typeof schema === 'function' && !('~standard' in schema))
    return parsedBy((schema as () => unknown)(), input);
  const { '~standard': standard, validate } = (schema ?? {}) as Parsing;
  const parse = standard?.validate ?? validate;
  const valueOf = (parsed: unknown): unknown =>
    (parsed as { readonly value?: unknown } | undefined)?.value ?? input;
  const parsed = parse?.(input);
  return isPromiseLike(parsed) ? parsed.then(valueOf) : valueOf(parsed);
}

/** Whether arguments are what a schema makes of others; what the SDK repaired is not. */
export function isParsed(
  input: unknown,
  from: unknown,
  schema: unknown,
): boolean | PromiseLike<boolean> {
  if (isDeepStrictEqual(input, from)) return true;
  const parsed = parsedBy(schema, from);
  return isPromiseLike(parsed)
    ? parsed.then((late) => isDeepStrictEqual(late, input))
    : isDeepStrictEqual(parsed, input);
}
