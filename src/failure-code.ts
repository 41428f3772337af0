/**
 * Why a hook failed, as far as that can be said without quoting a model, a tool or the hook itself: for logs
 * that promise to hold no payloads.
 */
export type FailureCode =
  | 'cancelled'
  | 'hook-ended'
  | 'hook-threw'
  | 'invalid-answer'
  | 'model-failed'
  | 'no-response'
  | 'not-started'
  | 'timed-out'
  | `exit-${number}`
  | `http-${number}`
  | `signal-${string}`;

/** Kept beside the errors: a property could have been set by whoever threw the error. */
const codes = new WeakMap<Error, FailureCode>();

/** Says why there is no answer where the facts of an exit do not, and returns the error. */
export function withCode<Thrown extends Error>(error: Thrown, code: FailureCode): Thrown {
  codes.set(error, code);
  return error;
}

/** The facts of an answer that tell why its hook failed. */
interface Facts {
  readonly status: string;
  readonly error?: Error | undefined;
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | undefined;
  readonly httpStatus?: number | undefined;
}

/** Returns the code of a failure; undefined for an answer that is none. */
export function failureCode(answer: Facts): FailureCode | undefined {
  const { status, error, exitCode, signal, httpStatus } = answer;
  if (status === 'timedOut') return 'timed-out';
  if (status === 'cancelled') return 'cancelled';
  if (status !== 'failed') return undefined;
  const known = error && codes.get(error);
  if (known !== undefined) return known;
  if (httpStatus !== undefined)
    return httpStatus >= 200 && httpStatus <= 299 ? 'invalid-answer' : `http-${httpStatus}`;
  if (signal !== undefined) return `signal-${signal}`;
  if (typeof exitCode === 'number') return exitCode === 0 ? 'invalid-answer' : `exit-${exitCode}`;
  return 'not-started';
}
