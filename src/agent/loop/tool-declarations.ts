import type { Tool } from './tool.ts';
import { jsonSchemaOf } from './tool-parameters.ts';

/** A tool's declaration for the model, in Google GenAI's form. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: object;
}

/** The tools as the model receives them. */
export const declareTools = (tools: ReadonlyMap<string, Tool>): FunctionDeclaration[] =>
  [...tools.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: jsonSchemaOf(name, parameters),
  }));
