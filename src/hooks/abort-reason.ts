/** Why a signal was aborted, as a text. */
export const abortReason = (signal: AbortSignal | undefined): string =>
  signal?.reason instanceof Error ? signal.reason.message : String(signal?.reason);
