import type { HookToolConfig, HookToolMode } from '../../protocol/llm.ts';
import { isRecord } from '../../protocol/output.ts';
import { FieldLedger, SpecificFields, type MergedAnswers, type NamedAnswer } from '../merge.ts';
import { mergeCommon } from './merge-or.ts';

/** Tool selection (HOOK-099 to 102, 210; C-47 to C-51): names are united, the strictest mode wins, NONE empties the list. */
export function mergeUnion(answers: readonly NamedAnswer[]): MergedAnswers {
  const ledger = new FieldLedger();
  const configs: HookToolConfig[] = [];
  const specific = new SpecificFields();
  for (const { hook, answer } of answers)
    for (const [key, value] of Object.entries(answer.output?.hookSpecificOutput ?? {})) {
      if (key === 'toolConfig' && isRecord(value)) {
        const config = value as HookToolConfig;
        configs.push(config);
        if (config.mode !== undefined) ledger.set('toolConfig.mode', hook, config.mode);
      } else specific.set(key, value);
    }
  const toolConfig = mergeToolConfigs(configs);
  if (toolConfig !== undefined) specific.set('toolConfig', toolConfig);
  return {
    output: { ...mergeCommon(answers), ...specific.toOutput() },
    conflicts: [],
    setBy: ledger.setBy(),
  };
}

/** Nothing said stays nothing: no config without a config, no mode without a mode, no list without a list (C-48, C-49). */
export function mergeToolConfigs(configs: readonly HookToolConfig[]): HookToolConfig | undefined {
  if (configs.length === 0) return undefined;
  const mode = (['NONE', 'ANY', 'AUTO'] satisfies HookToolMode[]).find((candidate) =>
    configs.some((config) => config.mode === candidate),
  );
  if (mode === 'NONE') return { mode, allowedFunctionNames: [] };
  const lists = configs.flatMap((config) => config.allowedFunctionNames ?? []);
  const named = configs.some((config) => config.allowedFunctionNames !== undefined);
  return {
    ...(mode && { mode }),
    ...(named && { allowedFunctionNames: [...new Set(lists)].toSorted() }),
  };
}
