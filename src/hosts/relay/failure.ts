import { HookmachineError } from '../../base/errors.ts';

/**
 * The command could not do its work: the message is the one line that the user reads; the exit status is 1.
 */
export class CommandFailure extends HookmachineError {
  override readonly name = 'CommandFailure';
  constructor(message: string, options?: ErrorOptions) {
    super('COMMAND_FAILED', message, options);
  }
}
