import type { Model, ModelRequest } from '../../../src/core/translate/model.ts';
import { ModelError } from '../../../src/agent/models/model-error.ts';

/** Calls a model, and returns the streamed pieces with the response. */
export async function ask(
  model: Model,
  request: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
) {
  const streamed: string[] = [];
  const response = await model.generate(
    { model: model.name, contents: 'Hello', ...request },
    { signal, onText: (text) => streamed.push(text) },
  );
  return { response, streamed };
}

/** Calls a model that must fail, and returns its error. */
export async function failureOf(model: Model, request: Partial<ModelRequest> = {}) {
  const error: unknown = await ask(model, request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ModelError) return error;
  throw new Error('the model did not fail as models do', { cause: error });
}
