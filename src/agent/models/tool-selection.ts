import type { FunctionDeclaration, ModelConfig } from '../../core/translate/model.ts';

/** Every function that the request declares. */
export const declarationsOf = (config: ModelConfig | undefined): FunctionDeclaration[] =>
  (config?.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);

/**
 * Returns a test of whether the request lets the model see a function: a list of allowed names hides the
 * others in every mode, and an empty list hides all.
 */
export function isAllowed(config: ModelConfig | undefined): (name: string | undefined) => boolean {
  const { mode, allowedFunctionNames } = config?.toolConfig?.functionCallingConfig ?? {};
  if (allowedFunctionNames === undefined || mode === 'NONE') return () => true;
  return (name) => name !== undefined && allowedFunctionNames.includes(name);
}
