/** What kind of error one of ours is. */
export type HookmachineErrorCode =
  | 'APPROVAL_MISMATCH'
  | 'APPROVAL_UNKNOWN'
  | 'BATCH_RUNNING'
  | 'BUNDLE_UNUSABLE'
  | 'CALL_CONFLICT'
  | 'CALL_SUSPENDED'
  | 'CALL_UNKNOWN'
  | 'COMMAND_FAILED'
  | 'DATABASE_ROLE'
  | 'DATABASE_SCHEMA'
  | 'DATABASE_UNAVAILABLE'
  | 'HOST_NAME_TAKEN'
  | 'HOOK_SYSTEM_NOT_INITIALIZED'
  | 'MODEL_ERROR'
  | 'NOT_SUSPENDED'
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

/** In the registry of symbols, so that every copy of this package has the same. */
const brand = Symbol.for('hookmachine.error');

/** The base of all errors that hookmachine throws; what caused one is its `cause`. */
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
 * Whether something that was thrown is an error of hookmachine, and of this kind if one is given. Unlike
 * `instanceof` it knows the errors of another copy of the package too.
 *
 * @example
 * if (isHookmachineError(error, 'MODEL_ERROR')) console.error(error.message);
 */
export const isHookmachineError = (
  thrown: unknown,
  code?: HookmachineErrorCode,
): thrown is HookmachineError =>
  isError(thrown) && brand in thrown && (code === undefined || codeOf(thrown) === code);

const codeOf = (error: object): unknown => (error as { code?: unknown }).code;

/** Whether something that was thrown is an error, from whichever realm. A revoked proxy throws at being asked what it is. */
export function isError(thrown: unknown): thrown is Error {
  try {
    return /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(thrown));
  } catch {
    return false;
  }
}

/** Whether the system just now has no descriptor or memory to spare, which says nothing of what was asked for. */
export const isShortage = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '');
