import { isError } from '../../errors.ts';

/** What a tool throws in the place of a result: the model reads the reason alone, in each version of the SDK. */
export class HookDenial extends Error {
  override readonly name = 'HookDenial';

  override toString(): string {
    return this.message;
  }
}

/** Whether something that was thrown is such a denial, of any copy of this package. */
export const isDenial = (thrown: unknown): thrown is Error =>
  isError(thrown) && thrown.name === 'HookDenial';
