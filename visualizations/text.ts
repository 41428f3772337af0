/** Widths of a wide sans-serif, in em: fonts differ between machines, but drawings must not. */
const widths: readonly (readonly [chars: RegExp, em: number])[] = [
  [/[ijlI|.,:;'!]/, 0.31],
  [/[frt()[\] /-]/, 0.41],
  [/[mwMW]/, 0.92],
  [/[A-Z]/, 0.7],
];

/** Returns the width that a text needs, in whichever font it is shown. */
export const textWidth = (text: string, size: number): number =>
  Array.from(text, emOf).reduce((sum, em) => sum + em, 0) * size;

const emOf = (char: string): number => widths.find(([chars]) => chars.test(char))?.[1] ?? 0.61;
