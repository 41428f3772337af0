/** How long one test of a regular expression may take, in ms. */
const testLimit = 50;

/** A test that cannot take more steps than this needs no watchdog, which costs 40 µs. */
const quickSteps = 1_000_000;

/** Thrown when a regular expression could not be decided in time; it never stalls the agent. */
export class RegexUndecidedError extends Error {
  override readonly name = 'RegexUndecidedError';
}

/**
 * `regex.test(text)`, but bounded in time: V8 backtracks, and a user's `^(a+)+$` would otherwise
 * freeze the agent for as long as the name is crafted to take.
 *
 * @throws {RegexUndecidedError} when it took longer than 50 ms, or overflowed the matcher's stack
 */
export function testBounded(regex: RegExp, text: string): boolean {
  try {
    return stepsAtMost(regex.source, text.length) <= quickSteps
      ? regex.test(text)
      : testWatched(regex, text);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? `took more than ${testLimit} ms` : message;
    throw new RegexUndecidedError(`/${regex.source}/: ${why}`, { cause });
  }
}

/**
 * An upper bound: each quantifier may try every length, from every start, and each group its
 * alternatives. A quantified group may do so once more for every character.
 */
function stepsAtMost(source: string, length: number): number {
  if (/\)[*+?{]/.test(source)) return Infinity;
  const count = (pattern: RegExp): number => source.match(pattern)?.length ?? 0;
  const groups = count(/\(/g);
  const alternatives = groups === 0 ? 1 : (count(/\|/g) / groups + 1) ** groups;
  return (length + 1) ** (count(/[*+?{]/g) + 1) * alternatives;
}

function testWatched(regex: RegExp, text: string): boolean {
  watched ??= watchdog();
  Object.assign(watched.context, { regex, text });
  return watched.script.runInContext(watched.context, { timeout: testLimit }) as boolean;
}

function watchdog() {
  const { createContext, Script } = process.getBuiltinModule('node:vm');
  return { context: createContext({}), script: new Script('regex.test(text)') };
}

let watched: ReturnType<typeof watchdog> | undefined;
