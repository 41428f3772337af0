import { HookmachineError, isHookmachineError } from '../../base/errors.ts';

/** Thrown if a bundle cannot be used. It says why, and what can be done about it. */
export class BundleError extends HookmachineError {
  override readonly name = 'BundleError';
  readonly fix: string;

  /** The message follows the name of the bundle or of the file at fault. */
  constructor(message: string, fix: string, options?: ErrorOptions) {
    super('BUNDLE_UNUSABLE', message, options);
    this.fix = fix;
  }
}

/** Whether a bundle, not the program, is at fault. */
export const isBundleError = (thrown: unknown): thrown is BundleError =>
  isHookmachineError(thrown, 'BUNDLE_UNUSABLE');

/** Returns the result of some work, or the fault of a bundle that it threw. */
export function attempt<Value>(
  work: () => Value,
): { readonly value: Value } | { readonly fault: BundleError } {
  try {
    return { value: work() };
  } catch (error) {
    if (isBundleError(error)) return { fault: error };
    throw error;
  }
}
