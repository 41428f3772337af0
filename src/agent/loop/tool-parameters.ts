import { z } from 'zod';
import { HookmachineError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { messageOf } from '../../base/message-of.ts';

/** A schema of any library that follows Standard Schema, such as zod, valibot or arktype. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** The schema as JSON Schema, if its library can produce it (Standard JSON Schema). */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-07' }) => Record<string, unknown>;
    };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The JSON Schema of an object. */
export interface JsonSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/**
 * The description of a tool's arguments: a schema of any library that follows Standard Schema, or JSON
 * Schema.
 */
export type ToolParameters<Input extends object = object> = StandardSchema<Input> | JsonSchema;

const isStandard = (parameters: ToolParameters): parameters is StandardSchema<object> =>
  '~standard' in parameters;

/**
 * The parameters as JSON Schema, for the model.
 *
 * @throws {HookmachineError} if their library cannot express them as JSON Schema
 */
export function jsonSchemaOf(tool: string, parameters: ToolParameters): object {
  if (!isStandard(parameters)) return parameters;
  if ('_zod' in parameters)
    return z.toJSONSchema(parameters as unknown as z.ZodType, {
      target: 'draft-7',
      io: 'input',
      unrepresentable: 'any',
    });
  const { vendor, jsonSchema } = parameters['~standard'];
  if (jsonSchema) return jsonSchema.input({ target: 'draft-07' });
  throw new HookmachineError(
    'TOOL_SCHEMA',
    `The parameters of the tool "${tool}" cannot be described to the model: this version of ${vendor} cannot convert its schemas to JSON Schema. Give JSON Schema as \`parameters\`.`,
  );
}

const compiled = new WeakMap<JsonSchema, StandardSchema<object>>();

/** Returns the schema that checks arguments. */
function checkerOf(tool: string, parameters: ToolParameters): StandardSchema<object> {
  if (isStandard(parameters)) return parameters;
  const known = compiled.get(parameters);
  if (known) return known;
  try {
    const made = z.fromJSONSchema(parameters) as unknown as StandardSchema<object>;
    compiled.set(parameters, made);
    return made;
  } catch (error) {
    throw new HookmachineError(
      'TOOL_SCHEMA',
      `The parameters of the tool "${tool}" are not a JSON Schema that can be checked: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** Returns the arguments as the schema outputs them, or what is wrong with them. */
export async function checkInput(
  tool: string,
  parameters: ToolParameters,
  input: object,
): Promise<{ readonly input: object } | { readonly problem: string }> {
  const result = await checkerOf(tool, parameters)['~standard'].validate(input);
  if (!result.issues) return { input: result.value };
  const problems = result.issues.map(({ path = [], message }) =>
    [path.map(keyOf).join('.'), message].filter(Boolean).join(': '),
  );
  return { problem: problems.join('; ') };
}

const keyOf = (step: PropertyKey | { readonly key: PropertyKey }): string =>
  String(isRecord(step) ? step['key'] : step);
