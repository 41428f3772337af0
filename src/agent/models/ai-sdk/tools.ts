import { defined } from '../../../base/json.ts';
import type { ModelConfig } from '../../../core/translate/model.ts';
import { ModelError } from '../model-error.ts';
import { declarationsOf, isAllowed } from '../tool-selection.ts';
import { fromGoogleSchema } from './google-schema.ts';
import type { FunctionTool, ToolChoice } from './types.ts';

/** The functions that the model may see. */
export function toTools(config: ModelConfig): FunctionTool[] {
  refuseOtherTools(config);
  const allows = isAllowed(config);
  return declarationsOf(config)
    .filter(({ name }) => allows(name))
    .map(({ name = '', description, parametersJsonSchema, parameters }) =>
      defined<FunctionTool>({
        type: 'function',
        name,
        description,
        inputSchema: inputSchema(parametersJsonSchema ?? fromGoogleSchema(parameters)),
      }),
    );
}

/** The tool choice for the mode; ANY with a single function selects that function. */
export function toToolChoice(
  config: ModelConfig,
  tools: readonly FunctionTool[],
): ToolChoice | undefined {
  const mode = config.toolConfig?.functionCallingConfig?.mode;
  if (mode === undefined) return undefined;
  if (mode === 'NONE') return { type: 'none' };
  if (mode !== 'ANY') return { type: 'auto' };
  const [only, second] = tools;
  return only && !second ? { type: 'tool', toolName: only.name } : { type: 'required' };
}

/**
 * A function without parameters takes an empty object. `$schema` is removed because some providers refuse it.
 */
function inputSchema(schema: unknown): object {
  if (typeof schema !== 'object' || schema === null) return { type: 'object', properties: {} };
  const { $schema: _dialect, ...rest } = schema as Record<string, unknown>;
  return rest;
}

function refuseOtherTools({ tools = [] }: ModelConfig): void {
  const others = tools
    .flatMap((tool) => Object.entries(tool))
    .filter(([key, value]) => key !== 'functionDeclarations' && value !== undefined)
    .map(([key]) => key);
  if (others.length > 0)
    throw new ModelError(
      `AI SDK models accept only function declarations, but config.tools holds ${others.join(', ')}; remove that`,
    );
}
