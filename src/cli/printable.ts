/**
 * A text for a terminal: control and bidirectional characters, which could play tricks there, are
 * made visible. What models, tools and settings say may come from strangers.
 */
export const printable = (text: string): string =>
  text.replaceAll(
    /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu,
    (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );

/** JSON for a terminal: what could play tricks there is escaped, so that it still reads as the same value. */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007F-\u009F]|\p{Bidi_Control}/gu,
    (char) => String.raw`\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
