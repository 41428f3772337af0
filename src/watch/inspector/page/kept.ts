/**
 * Reads or writes what the browser stores for the page. A report that is shown in a sandbox has no storage, and
 * a browser may forbid it.
 */
export function kept<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
