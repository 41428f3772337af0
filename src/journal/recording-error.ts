/** A file that cannot be used as a recording; the message names the file, what is wrong and the mend. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  readonly file: string;

  constructor(file: string, message: string, options?: ErrorOptions) {
    super(`${file}: ${message}`, options);
    this.file = file;
  }
}
