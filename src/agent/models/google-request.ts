import { defined } from '../../base/json.ts';
import type { ModelConfig, ModelRequest, ModelTool } from '../../core/translate/model.ts';
import { declarationsOf, isAllowed } from './tool-selection.ts';

/**
 * The parameters for the SDK, copied because it writes into them. Gemini accepts allowed names only with mode
 * ANY and only for declared functions, and refuses a tool config without functions.
 */
export function googleRequest(
  request: ModelRequest,
  abortSignal: AbortSignal,
): ModelRequest & { config: { abortSignal: AbortSignal } } {
  const config = request.config ?? {};
  const calling = config.toolConfig?.functionCallingConfig;
  if (calling?.allowedFunctionNames === undefined)
    return { ...request, config: { ...withToolConfig(config, calling), abortSignal } };

  const allows = isAllowed(config);
  const tools = (config.tools ?? [])
    .map((tool) => onlyAllowed(tool, allows))
    .filter((tool) => Object.keys(tool).length > 0);
  const { allowedFunctionNames: _names, ...rest } = calling;
  const names = declarationsOf({ tools }).map(({ name }) => name as string);
  const narrowed = { ...config, tools };
  return {
    ...request,
    config: {
      ...withToolConfig(
        narrowed,
        rest.mode === 'ANY' ? { ...rest, allowedFunctionNames: names } : rest,
      ),
      abortSignal,
    },
  };
}

type Calling = NonNullable<NonNullable<ModelConfig['toolConfig']>['functionCallingConfig']>;

function withToolConfig(config: ModelConfig, calling: Calling | undefined): ModelConfig {
  const { toolConfig, tools, ...rest } = config;
  const kept = defined<NonNullable<typeof toolConfig>>({
    ...toolConfig,
    functionCallingConfig: (tools ?? []).length > 0 ? calling : undefined,
  });
  return {
    ...rest,
    ...(tools && tools.length > 0 && { tools }),
    ...(Object.keys(kept).length > 0 && { toolConfig: kept }),
  };
}

/** Returns the tool without functions that the model may not see; other kinds of tools in it stay. */
function onlyAllowed(tool: ModelTool, allows: (name: string | undefined) => boolean): ModelTool {
  const { functionDeclarations, ...others } = tool;
  const left = (functionDeclarations ?? []).filter(({ name }) => allows(name));
  return { ...others, ...(left.length > 0 && { functionDeclarations: left }) };
}
