import type { HookToolConfig, HookToolMode } from '../../protocol/llm.ts';
import { isRecord } from '../../protocol/output.ts';
import { FieldSet } from '../field-set.ts';
import type { NamedAnswer } from '../dialect.ts';
import type { HookConflict } from '../verdict.ts';
import { decidedBy, mergeCommon, specificOutput, type MergedOutputs } from './merge-common.ts';

interface NamedConfig {
  readonly hook: string;
  readonly config: HookToolConfig;
}

const strictestFirst = ['NONE', 'ANY', 'AUTO'] satisfies HookToolMode[];

/** Tool selection (HOOK-099 to 102, 210; C-47 to C-51): names are united, the strictest mode wins, NONE empties the list. */
export function mergeUnion(answers: readonly NamedAnswer[]): MergedOutputs {
  const specific = new FieldSet();
  const configs: NamedConfig[] = [];
  for (const { hook, answer } of answers)
    for (const [name, value] of Object.entries(answer.output?.hookSpecificOutput ?? {}))
      if (name === 'toolConfig' && isRecord(value)) configs.push({ hook, config: value });
      else specific.set(name, value, hook);
  const toolConfig = mergeToolConfigs(configs.map(({ config }) => config));
  const moded = configs.filter(({ config }) => config.mode !== undefined);
  const winner = moded.find(({ config }) => config.mode === toolConfig?.mode)?.hook;
  const conflict: HookConflict[] =
    winner !== undefined && new Set(moded.map(({ config }) => config.mode)).size > 1
      ? [{ field: 'toolConfig.mode', hooks: moded.map(({ hook }) => hook), winner }]
      : [];
  return {
    output: {
      ...mergeCommon(answers),
      ...specificOutput({ ...specific.toObject(), ...(toolConfig && { toolConfig }) }),
    },
    conflicts: [...conflict, ...specific.conflicts()],
    setBy: {
      ...specific.setBy(),
      ...(winner !== undefined && { 'toolConfig.mode': winner }),
      ...decidedBy(answers),
    },
  };
}

/** Nothing said stays nothing: no config without a config, no mode without a mode, no list without a list (C-48, C-49). */
export function mergeToolConfigs(configs: readonly HookToolConfig[]): HookToolConfig | undefined {
  const mode = strictestFirst.find((candidate) =>
    configs.some((config) => config.mode === candidate),
  );
  if (mode === 'NONE') return { mode, allowedFunctionNames: [] };
  const lists = configs.flatMap(({ allowedFunctionNames }) =>
    allowedFunctionNames === undefined ? [] : [allowedFunctionNames],
  );
  if (mode === undefined && lists.length === 0) return undefined;
  return {
    ...(mode && { mode }),
    ...(lists.length > 0 && { allowedFunctionNames: [...new Set(lists.flat())].toSorted() }),
  };
}
