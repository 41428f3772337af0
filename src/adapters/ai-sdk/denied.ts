import { isError } from '../../base/errors.ts';

/** Thrown by a tool in place of a result: in each version of the SDK the model reads only the reason. */
export class HookDenial extends Error {
  override readonly name = 'HookDenial';

  override toString(): string {
    return this.message;
  }
}

/** Whether a thrown value is such a denial, from any copy of this package. */
export const isDenial = (thrown: unknown): thrown is Error =>
  isError(thrown) && thrown.name === 'HookDenial';
