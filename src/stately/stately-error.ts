/** Stately's tools cannot be used; the message says why and what to do. */
export class StatelyError extends Error {
  override readonly name = 'StatelyError';
}
