/** Looks once for all hooks that are started in one go: nothing else runs in between that could change what is seen. */
export function inOneGo<Seen>(look: () => Seen): () => Seen {
  let last: { readonly seen: Seen } | undefined;
  return () => {
    if (last === undefined) {
      last = { seen: look() };
      queueMicrotask(() => {
        last = undefined;
      });
    }
    return last.seen;
  };
}

/** The host's environment; to copy it takes longer than anything else that the host does for a hook. */
export const hostEnvironment = inOneGo(() => ({ ...process.env }));
