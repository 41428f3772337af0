/** A hook's deadline where its definition names none that can be used, in ms (HOOK-120, C-32). */
export const defaultTimeout = 60_000;
