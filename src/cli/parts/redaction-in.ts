import { isHookmachineError } from '../../base/errors.ts';
import { redactedIn } from '../../settings/redaction/redact-settings.ts';
import { CommandFailure } from '../../hosts/relay/failure.ts';

/**
 * Returns what a project's settings redact.
 *
 * @throws {CommandFailure} if one of their rules is broken
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
