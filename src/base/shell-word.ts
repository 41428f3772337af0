/** Quotes a text as one word of a shell command. */
export const shellWord = (text: string): string =>
  /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
