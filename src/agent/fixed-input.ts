import { types } from 'node:util';
import type { ToolInput } from '../../machines/tool-call.ts';
import { isNestedTooDeep } from '../json-limits.ts';
import { messageOf } from '../message-of.ts';

/** Arguments that stay as they are from the first hook until the tool runs. */
export interface FixedInput {
  readonly input: ToolInput;
  /** Why the tool must not run: hooks could not see what it would get. */
  readonly refusal?: string;
  /** Whether somebody has changed the arguments in the meantime. */
  readonly hasChanged: () => boolean;
}

/**
 * Fixes the arguments of a call: hooks get them as JSON, at several times, and the tool as an object. One that
 * may say something else each time it is asked, or to each of them, is replaced by what JSON gives.
 */
export function fixedInput(input: ToolInput): FixedInput {
  try {
    const text = JSON.stringify(input);
    if (isData(input)) return { input, hasChanged: () => JSON.stringify(input) !== text };
    return { input: JSON.parse(text) as ToolInput, hasChanged: () => false };
  } catch (error) {
    // Arguments that are nested too deep are denied with their hooks.
    if (isData(input) && isNestedTooDeep(input)) return { input, hasChanged: () => false };
    const [why] = messageOf(error).split('\n');
    const refusal = `The tool did not run, because its arguments cannot be written as JSON, so no hook can judge them: ${why}`;
    return { input, refusal, hasChanged: () => false };
  }
}

/** Whether an object consists of values, with nothing that computes or hides them. */
function isData(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return true;
  if (types.isProxy(input) || !(Array.isArray(input) || isPlain(input))) return false;
  const seen = new Set<object>([input]);
  for (const object of seen) {
    if (types.isProxy(object)) return false;
    if (ArrayBuffer.isView(object)) continue;
    for (const key of Reflect.ownKeys(object)) {
      if (typeof key === 'symbol' || (key === 'length' && Array.isArray(object))) continue;
      const property = Object.getOwnPropertyDescriptor(object, key)!;
      const value: unknown = property.value;
      if (property.get !== undefined || !property.enumerable) return false;
      if (key === 'toJSON' && typeof value === 'function') return false;
      if (typeof value === 'object' && value !== null) seen.add(value);
    }
  }
  return true;
}

/** Whether an object has only properties of its own; it may come from another realm. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
