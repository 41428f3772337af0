import { z } from 'zod';
import type { Tool } from './tool.ts';

/** What the model is told of a tool, as Google GenAI spells it. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema: object;
}

/** The tools as the model is told of them. */
export const declareTools = (tools: ReadonlyMap<string, Tool>): FunctionDeclaration[] =>
  [...tools.values()].map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: z.toJSONSchema(parameters, {
      target: 'draft-7',
      io: 'input',
      unrepresentable: 'any',
    }),
  }));
