import { createContext, Script } from 'node:vm';

/** How long one test of a regular expression may take, in ms. */
const testLimit = 50;

/** Up to this many quantifiers, none of them on a group, no name makes matching slow. */
const fewQuantifiers = 4;

/** Thrown when a regular expression took too long to decide; it never stalls the agent. */
export class RegexTooSlowError extends Error {
  override readonly name = 'RegexTooSlowError';
}

/**
 * `regex.test(text)`, but bounded in time: V8 backtracks, and a user's `^(a+)+$` would otherwise
 * freeze the agent for as long as the name is crafted to take.
 *
 * @throws {RegexTooSlowError} when it took longer than 50 ms
 */
export function testBounded(regex: RegExp, text: string): boolean {
  if (isTame(regex.source)) return regex.test(text);
  watched ??= { context: createContext({}), script: new Script('regex.test(text)') };
  Object.assign(watched.context, { regex, text });
  try {
    return watched.script.runInContext(watched.context, { timeout: testLimit }) as boolean;
  } catch (cause) {
    throw new RegexTooSlowError(`/${regex.source}/ took more than ${testLimit} ms`, { cause });
  }
}

let watched: { context: object; script: Script } | undefined;

const isTame = (source: string): boolean =>
  !/\)[*+?{]/.test(source) && (source.match(/[*+?{]/g)?.length ?? 0) <= fewQuantifiers;
