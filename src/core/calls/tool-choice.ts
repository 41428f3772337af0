import type { GenAIRequest } from '../translate/genai-types.ts';

/**
 * Returns why a call may not be executed under the tool config of its request; undefined if it may.
 * The config was sent with the request, but a provider may ignore it.
 */
export function refusalOf(toolName: string, request: GenAIRequest): string | undefined {
  const { mode, allowedFunctionNames } = request.config?.toolConfig?.functionCallingConfig ?? {};
  if (mode === 'NONE') return `${toolName} was not run: no tool may be called now.`;
  if (allowedFunctionNames === undefined || allowedFunctionNames.includes(toolName))
    return undefined;
  const allowed = allowedFunctionNames.length === 0 ? 'none' : allowedFunctionNames.join(', ');
  return `${toolName} was not run: it is not among the tools that may be called now (${allowed}).`;
}
