import type { HookToolConfig, HookToolMode } from '../protocol/llm.ts';
import { isRecord } from '../protocol/output.ts';
import { readTexts } from './fields.ts';
import type { GenAIToolConfig } from './genai-types.ts';
import { ignored } from '../protocol/notes.ts';

const modes: readonly unknown[] = ['AUTO', 'ANY', 'NONE'] satisfies HookToolMode[];
const isMode = (value: unknown): value is HookToolMode => modes.includes(value);

/** The tool config that hooks see; a mode that only the SDK knows is left out (HOOK-074). */
export const toHookToolConfig = (toolConfig: GenAIToolConfig | undefined): HookToolConfig =>
  read(isRecord(toolConfig) ? toolConfig.functionCallingConfig : undefined, 'toolConfig', []);

/**
 * The SDK's tool config with a hook's changes; all else in it stays, and so do the `tools` (HOOK-055,
 * HOOK-167). Mode NONE without a list empties the list, since providers refuse names beside it.
 */
export function fromHookToolConfig<Base extends GenAIToolConfig = GenAIToolConfig>(
  hookToolConfig: HookToolConfig,
  base?: Base,
): Base {
  const whole: Readonly<Record<string, unknown>> = isRecord(base) ? base : {};
  const changes = read(hookToolConfig, 'toolConfig', []);
  if (Object.keys(changes).length === 0) return { ...whole } as unknown as Base;
  const calling = whole['functionCallingConfig'];
  const before = isRecord(calling) ? calling : {};
  const emptied = changes.mode === 'NONE' && 'allowedFunctionNames' in before;
  return {
    ...whole,
    functionCallingConfig: {
      ...before,
      ...(emptied && { allowedFunctionNames: [] }),
      ...changes,
    },
  } as unknown as Base;
}

/** Makes a hook's tool config valid, with a note for all that had to be left out. */
export function normalizeHookToolConfig(
  value: unknown,
  path = 'toolConfig',
): { toolConfig: HookToolConfig; notes: string[] } {
  const notes: string[] = [];
  return { toolConfig: read(value, path, notes), notes };
}

function read(value: unknown, path: string, notes: string[]): HookToolConfig {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) {
    notes.push(ignored(path, value, 'an object'));
    return {};
  }
  const { mode } = value;
  if (mode !== undefined && mode !== null && !isMode(mode))
    notes.push(ignored(`${path}.mode`, mode, 'exactly AUTO, ANY or NONE'));
  const names = readTexts(value['allowedFunctionNames'], `${path}.allowedFunctionNames`, notes);
  return { ...(isMode(mode) && { mode }), ...(names && { allowedFunctionNames: names }) };
}
