import { isHookmachineError } from '../errors.ts';
import { redactedIn } from '../redaction/redact-settings.ts';
import { CommandFailure } from './failure.ts';

/**
 * What the settings of a project say is never shown.
 *
 * @throws {CommandFailure} when a rule of theirs is broken
 */
export function redactionIn(folder: string): readonly string[] {
  try {
    return redactedIn(folder, { payloads: true }, () => undefined);
  } catch (error) {
    if (isHookmachineError(error, 'REDACTION_BROKEN'))
      throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}
