import { HookmachineError } from '../errors.ts';

/** A model could not be used or did not answer. The message is one line for users. */
export class ModelError extends HookmachineError {
  override readonly name = 'ModelError';
  /** The HTTP status the provider answered with. */
  readonly status: number | undefined;
  /** The same request may succeed later. */
  readonly retryable: boolean;

  constructor(
    message: string,
    details: { status?: number | undefined; retryable?: boolean; cause?: unknown } = {},
  ) {
    super('MODEL_ERROR', message, 'cause' in details ? { cause: details.cause } : undefined);
    this.status = details.status;
    this.retryable = details.retryable ?? false;
  }
}
