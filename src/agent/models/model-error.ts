import { HookmachineError } from '../../base/errors.ts';

/** Thrown when a model cannot be used or does not answer. The message is one line for users. */
export class ModelError extends HookmachineError {
  override readonly name = 'ModelError';
  /** The HTTP status that the provider returned. */
  readonly status: number | undefined;
  /** Whether the same request may succeed later. */
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
