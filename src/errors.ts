/** The kinds of errors that hookmachine throws. */
export type HookmachineErrorCode =
  | 'APPROVAL_MISMATCH'
  | 'APPROVAL_UNKNOWN'
  | 'ARGUMENT_INVALID'
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

const codeOf = (error: object): unknown => (error as { code?: unknown }).code;

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
  ['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Whether the system says that there is no such file or folder. */
export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
