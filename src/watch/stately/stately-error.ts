import { HookmachineError } from '../../base/errors.ts';

/** Stately's tools cannot be used; the message says why and how to fix it. */
export class StatelyError extends HookmachineError {
  override readonly name = 'StatelyError';
  constructor(message: string, options?: ErrorOptions) {
    super('STATELY_UNAVAILABLE', message, options);
  }
}
