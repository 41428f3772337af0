import { withCode } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { Answering } from './handler.ts';
import { quieted } from './quiet-signal.ts';
import { errorOf } from '../base/message-of.ts';

/** Calls a hook that was given in code, with its own copy of the event, which it may change. */
export const callFunction: Answering<'function'> = async ({ call }, { stdin, signal, started }) => {
  started();
  let answer: unknown;
  try {
    answer = await call(JSON.parse(stdin) as never, { signal: quieted(signal) });
  } catch (error) {
    throw withCode(errorOf(error), 'hook-threw');
  }
  try {
    return { stdout: textOf(answer) };
  } catch (error) {
    throw withCode(error as Error, 'invalid-answer');
  }
};

function textOf(answer: unknown): string {
  if (answer === undefined || answer === null) return '';
  if (!isRecord(answer))
    throw new Error(
      `it answered with ${Array.isArray(answer) ? 'an array' : `a ${typeof answer}`}; return an object, or nothing`,
    );
  try {
    return JSON.stringify(answer);
  } catch (error) {
    throw new Error('its answer has no JSON form; return plain data', { cause: error });
  }
}
