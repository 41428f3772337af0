/** Widths in em of a wide sans-serif: fonts differ from machine to machine, a drawing must not. */
const widths: readonly (readonly [chars: RegExp, em: number])[] = [
  [/[ijlI|.,:;'!]/, 0.31],
  [/[frt()[\] /-]/, 0.41],
  [/[mwMW]/, 0.92],
  [/[A-Z]/, 0.7],
];

/** How much room a text needs, in whichever font it will be shown. */
export const textWidth = (text: string, size: number): number =>
  Array.from(text, emOf).reduce((sum, em) => sum + em, 0) * size;

const emOf = (char: string): number => widths.find(([chars]) => chars.test(char))?.[1] ?? 0.61;
