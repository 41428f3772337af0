type Parse = (input: unknown) => unknown;

/** As much of a schema as parses arguments: a Standard Schema, or one that the SDK made of JSON Schema. */
interface Parsing {
  readonly '~standard'?: { readonly validate: Parse };
  readonly validate?: Parse;
}

/** The arguments as the SDK gives them to a tool: with defaults, and transformed. Those that do not fit stay as they are. */
export async function parsedBy(schema: unknown, input: unknown): Promise<unknown> {
  if (typeof schema === 'function' && !('~standard' in schema))
    return parsedBy((schema as () => unknown)(), input);
  const { '~standard': standard, validate } = (schema ?? {}) as Parsing;
  const parse = standard?.validate ?? validate;
  const parsed = (await parse?.(input)) as { readonly value?: unknown } | undefined;
  return parsed?.value ?? input;
}
