import { HookmachineError, isHookmachineError } from '../errors.ts';

/** Why a bundle cannot be used, and what can be done about it. */
export class BundleError extends HookmachineError {
  override readonly name = 'BundleError';
  readonly fix: string;

  /** The message continues the name of the bundle, or of the file that is at fault. */
  constructor(message: string, fix: string, options?: ErrorOptions) {
    super('BUNDLE_UNUSABLE', message, options);
    this.fix = fix;
  }
}

/** Whether a bundle is at fault, and not the program. */
export const isBundleError = (thrown: unknown): thrown is BundleError =>
  isHookmachineError(thrown, 'BUNDLE_UNUSABLE');

/** What came of some work, or what was wrong with a bundle. */
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
