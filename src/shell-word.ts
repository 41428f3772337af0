/** A path as one word of a shell. */
export const shellWord = (path: string): string =>
  /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
