import { isDeepStrictEqual } from 'node:util';
import type { CompletedToolCall } from './tool-scheduler.ts';

/** A hook's change to a tool call. */
export interface HookChange {
  readonly hook: string;
  /** The tool's name. */
  readonly tool: string;
  readonly of: 'arguments' | 'result';
  /** The names of the arguments that were changed or removed. */
  readonly keys?: readonly string[];
}

/** Returns which hooks rewrote which of a call's arguments; changes of a blocked call do not count. */
export function argumentChanges({ request, outcome, before }: CompletedToolCall): HookChange[] {
  const { name: tool, input } = request;
  const { toolInput } = outcome;
  if (before === undefined || toolInput === input) return [];
  const byHook = new Map<string, string[]>();
  for (const key of new Set([...Object.keys(input), ...Object.keys(toolInput)])) {
    if (isSame(input, toolInput, key)) continue;
    const { setBy } = before;
    const hook = setBy[`tool_input.${key}`] ?? setBy['tool_input'] ?? 'a hook';
    byHook.set(hook, [...(byHook.get(hook) ?? []), key]);
  }
  return Array.from(byHook, ([hook, keys]) => ({ hook, tool, of: 'arguments', keys }));
}

/** Returns which hook replaced the tool's result. */
export function resultChanges({ request, after }: CompletedToolCall): HookChange[] {
  const hook = after?.toolResponse && after.setBy['tool_response'];
  return hook === undefined ? [] : [{ hook, tool: request.name, of: 'result' }];
}

type Input = Readonly<Record<string, unknown>>;

const isSame = (one: Input, other: Input, key: string): boolean =>
  Object.hasOwn(one, key) === Object.hasOwn(other, key) && isDeepStrictEqual(one[key], other[key]);
