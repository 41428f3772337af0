/**
 * Runs work, and rejects when the signal aborts, even if the work ignores the signal. The signal given to the
 * work also aborts when the work is over, so that nothing it opened outlives it.
 */
export async function untilAbort<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => {
      own.abort(signal.reason);
      // oxlint-disable-next-line prefer-promise-reject-errors -- the reason is the caller's own
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work(own.signal), aborted]);
  } finally {
    if (abort) signal.removeEventListener('abort', abort);
    own.abort();
  }
}
