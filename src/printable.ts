/**
 * A text for a terminal: control and bidirectional characters, which could play tricks there, are
 * made visible. What models, tools and settings say may come from strangers.
 */
export const printable = (text: string): string =>
  text.replaceAll(
    /[^\P{Cc}\n\t]|\p{Bidi_Control}|[\u2028\u2029]/gu,
    (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );

/** The same on one line: its breaks and tabs are made visible too. */
export const printableLine = (text: string): string =>
  printable(text.replaceAll('\n', String.raw`\n`).replaceAll('\t', String.raw`\t`));
