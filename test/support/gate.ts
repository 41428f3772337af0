/** A gate: `opened` resolves once `open` is called. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const made = {} as { open: () => void };
  const opened = new Promise<void>((resolve) => {
    made.open = resolve;
  });
  return { opened, open: () => made.open() };
}
