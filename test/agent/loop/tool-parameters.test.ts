import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  checkInput,
  jsonSchemaOf,
  type StandardSchema,
} from '../../../src/agent/loop/tool-parameters.ts';

/** A schema of a library that is not zod. */
const foreign = (
  jsonSchema?: StandardSchema['~standard']['jsonSchema'],
): StandardSchema<object> => ({
  '~standard': {
    version: 1,
    vendor: 'some-library',
    validate: async (value) =>
      typeof (value as { path?: unknown }).path === 'string'
        ? { value: { path: (value as { path: string }).path.trim() } }
        : { issues: [{ message: 'must be a text', path: [{ key: 'path' }] }] },
    ...(jsonSchema && { jsonSchema }),
  },
});

const json = {
  type: 'object',
  properties: { path: { type: 'string' }, times: { type: 'integer', minimum: 1 } },
  required: ['path'],
  additionalProperties: false,
} as const;

test.each([
  ['zod', z.object({ path: z.string() })],
  ['another library', foreign()],
  ['JSON Schema', json],
])('arguments are checked by a schema of %s', async (_, parameters) => {
  const fitting = await checkInput('some', parameters, { path: 'a' });
  expect(fitting).toEqual({ input: { path: 'a' } });
  const wrong = await checkInput('some', parameters, { path: 7 });
  expect(wrong).toEqual({ problem: expect.stringMatching(/^path: \S+/) });
});

test('a tool receives the arguments as its schema outputs them', async () => {
  expect(await checkInput('some', foreign(), { path: ' a ' })).toEqual({ input: { path: 'a' } });
});

test('the model is shown JSON Schema as it is, and any other schema as its library converts it', () => {
  expect(jsonSchemaOf('some', json)).toBe(json);
  expect(jsonSchemaOf('some', z.object({ path: z.string() }))).toMatchObject({
    type: 'object',
    required: ['path'],
  });
  expect(jsonSchemaOf('some', foreign({ input: (said) => ({ type: 'object', ...said }) }))).toEqual(
    { type: 'object', target: 'draft-07' },
  );
});

const describeForeign = () => jsonSchemaOf('some', foreign());

test('a schema that cannot be shown to the model is an error that names the tool and the fix', () => {
  expect(describeForeign).toThrow(
    'The parameters of the tool "some" cannot be described to the model: this version of some-library cannot convert its schemas to JSON Schema. Give JSON Schema as `parameters`.',
  );
});

test('JSON Schema that cannot be checked is an error that names the tool', async () => {
  const parameters = { type: 'object', $ref: 'https://example.com/schema' } as const;
  await expect(checkInput('some', parameters, {})).rejects.toThrow(
    /^The parameters of the tool "some" are not a JSON Schema that can be checked: /,
  );
});
