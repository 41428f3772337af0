import { HookmachineError } from '../errors.ts';

/**
 * Thrown if payloads are to be shown although a rule that redacts them is broken. The message names the file,
 * the place and the fix.
 */
export class RedactionError extends HookmachineError {
  override readonly name = 'RedactionError';
  constructor(message: string, options?: ErrorOptions) {
    super('REDACTION_BROKEN', message, options);
  }
}
