import type { NeutralPart } from '../../core/calls/run-model-call.ts';
import { isRecord } from '../../base/json.ts';
import type { ToolInput } from '../../../machines/tool-call.ts';
import { loneArgument } from '../parts/run-tool.ts';
import type { Item, ModelRequest } from './types.ts';

/** The tool call in an item, if it is one that hooks judge. */
export function callOf(item: Item, { tools }: Pick<ModelRequest, 'tools'>): NeutralPart['call'] {
  const { type, callId: id, name = '' } = item;
  if (id === undefined) return undefined;
  const nameOf = (wanted: string): string =>
    tools.find((tool) => tool.type === wanted)?.name ?? wanted;
  if (type === 'function_call') return { id, name, input: inputOf(item.arguments ?? '') };
  if (type === 'shell_call')
    return { id, name: nameOf('shell'), input: (item.action ?? {}) as ToolInput };
  if (type === 'apply_patch_call')
    return { id, name: nameOf('apply_patch'), input: (item.operation ?? {}) as ToolInput };
  return undefined;
}

/** The item of a call with the arguments that a hook gave. */
export function withInput(item: Item, input: ToolInput): Item {
  if (item.type === 'shell_call') return { ...item, action: input };
  if (item.type === 'apply_patch_call') return { ...item, operation: input };
  return { ...item, arguments: argumentsOf(input) };
}

/** Arguments as hooks see them. */
export function inputOf(json: string): ToolInput {
  if (json.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (isRecord(value)) return value;
  } catch {
    // The SDK reports it; hooks see the text.
  }
  return { [loneArgument]: json };
}

/** Arguments as a model gives them. */
export function argumentsOf(input: ToolInput): string {
  return JSON.stringify(input);
}
