import { HookmachineError } from '../errors.ts';

/** Payloads were to be shown although a rule that redacts them is broken; the message names file, place and fix. */
export class RedactionError extends HookmachineError {
  override readonly name = 'RedactionError';
  constructor(message: string, options?: ErrorOptions) {
    super('REDACTION_BROKEN', message, options);
  }
}
