import { HookmachineError } from '../../base/errors.ts';

/** A file cannot be used as a recording; the message names the file, the problem and the fix. */
export class RecordingError extends HookmachineError {
  override readonly name = 'RecordingError';
  readonly file: string;

  constructor(file: string, message: string, options?: ErrorOptions) {
    super('RECORDING_INVALID', `${file}: ${message}`, options);
    this.file = file;
  }
}
