import { isPromiseLike } from './annotations.ts';
import { isSame } from '../parts/run-tool.ts';

type Parse = (input: unknown) => unknown;

/**
 * The parts of a schema that parse arguments: a Standard Schema, or one that the SDK made from JSON Schema.
 */
interface Parsing {
  readonly '~standard'?: { readonly validate: Parse };
  readonly validate?: Parse;
}

/**
 * The arguments as the SDK gives them to a tool: transformed, with defaults. Arguments that do not fit stay
 * as they are.
 */
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

/** Whether a schema turns `from` into `input`. Arguments that the SDK repaired do not count. */
export function isParsed(
  input: unknown,
  from: unknown,
  schema: unknown,
): boolean | PromiseLike<boolean> {
  if (isSame(input, from)) return true;
  const parsed = parsedBy(schema, from);
  return isPromiseLike(parsed) ? parsed.then((late) => isSame(late, input)) : isSame(parsed, input);
}
