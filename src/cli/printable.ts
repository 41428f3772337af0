/**
 * A text for a terminal: control and bidirectional characters, which could play tricks there, are
 * made visible. What models, tools and settings say may come from strangers.
 */
export const printable = (text: string): string =>
  text.replaceAll(
    /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu,
    (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
