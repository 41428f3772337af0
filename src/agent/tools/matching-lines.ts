import { createContext, Script } from 'node:vm';

/** How long one run over a list of lines may take, in ms. */
const timeLimit = 1000;

/** The places in `lines` of those that match, or that finding out took too long. */
export type Matching =
  | { readonly kind: 'found'; readonly indexes: readonly number[] }
  | { readonly kind: 'tooSlow' };

/**
 * Tests every line, but bounded in time: V8 backtracks, and the model's `(a+)+$` would otherwise
 * freeze the agent. One run takes many lines, because each costs a watchdog thread.
 */
export function matchingLines(regex: RegExp, lines: readonly string[]): Matching {
  watched ??= {
    context: createContext({}),
    script: new Script('lines.flatMap((line, index) => (regex.test(line) ? [index] : []))'),
  };
  Object.assign(watched.context, { regex, lines });
  try {
    const indexes = watched.script.runInContext(watched.context, { timeout: timeLimit });
    return { kind: 'found', indexes: indexes as number[] };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return { kind: 'tooSlow' };
  } finally {
    Object.assign(watched.context, { regex: undefined, lines: undefined });
  }
}

let watched: { readonly context: object; readonly script: Script } | undefined;
