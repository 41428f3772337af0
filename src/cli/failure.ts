/** The command could not do its work; its message is the one line the user reads, and the status is 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
