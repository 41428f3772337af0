/** Runs what often fails, and says why by an error that nobody reads further: no stack is made for it, which would take the longest. */
export function withoutStacks<Made>(run: () => Made): Made {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
