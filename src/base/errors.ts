/** The kinds of errors that hookmachine throws. */
export type HookmachineErrorCode =
  | 'APPROVAL_MISMATCH'
  | 'APPROVAL_UNKNOWN'
  | 'ARGUMENT_INVALID'
  | 'BATCH_RUNNING'
  | 'BUNDLE_UNUSABLE'
  | 'CALL_CONFLICT'
  | 'CALL_PRUNED'
  | 'CALL_SUSPENDED'
  | 'CALL_UNKNOWN'
  | 'COMMAND_FAILED'
  | 'DATABASE_ROLE'
  | 'DATABASE_SCHEMA'
  | 'DATABASE_STANDBY'
  | 'DATABASE_UNAVAILABLE'
  | 'HOST_NAME_TAKEN'
  | 'HOOK_SYSTEM_NOT_INITIALIZED'
  | 'HUB_REFUSED'
  | 'MODEL_ERROR'
  | 'NOT_SUSPENDED'
  | 'PAYLOAD_UNREADABLE'
  | 'POLICY_CONFLICT'
  | 'POLICY_UNKNOWN'
  | 'POLICY_UNUSABLE'
  | 'PORT_UNAVAILABLE'
  | 'RECORDING_INVALID'
  | 'REDACTION_BROKEN'
  | 'REGEX_UNDECIDED'
  | 'SETTINGS_NOT_EDITABLE'
  | 'STATELY_UNAVAILABLE'
  | 'TOOL_SCHEMA'
  | 'TRUST_NOT_RECORDED'
  | 'TURN_RUNNING'
  | 'TURN_SUSPENDED';

/** In the global symbol registry, so that every copy of this package uses the same symbol. */
const brand = Symbol.for('hookmachine.error');

/** The base class of all errors that hookmachine throws; the underlying error is its `cause`. */
export class HookmachineError extends Error {
  override readonly name: string = 'HookmachineError';
  readonly code: HookmachineErrorCode;

  constructor(code: HookmachineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get [brand](): true {
    return true;
  }
}

/**
 * Whether a thrown value is an error of hookmachine, and of this kind if one is given. Unlike `instanceof` it
 * also recognizes errors of another copy of the package.
 *
 * @example
 * if (isHookmachineError(error, 'MODEL_ERROR')) console.error(error.message);
 */
export const isHookmachineError = (
  thrown: unknown,
  code?: HookmachineErrorCode,
): thrown is HookmachineError =>
  isError(thrown) && brand in thrown && (code === undefined || codeOf(thrown) === code);

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** Whether a thrown value is an error, from any realm. A revoked proxy throws when its type is queried. */
export function isError(thrown: unknown): thrown is Error {
  try {
    return /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(thrown));
  } catch {
    return false;
  }
}

/**
 * Whether the system is currently out of file descriptors or memory, which says nothing about what was
 * requested.
 */
export const isShortage = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE', 'ENOMEM'].includes(String(codeOf(error)));

/** Whether the system says that there is no such file or folder. */
export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(String(codeOf(error)));

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
