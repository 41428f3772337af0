export { printable } from '../../base/visible.ts';

/**
 * Returns JSON for a terminal: characters that could play tricks there, or be overlooked, are escaped, so
 * that it still parses to the same value.
 */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007F-\u009F\u2800\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|(?<=\p{M}{8})\p{M}/gu,
    (char) =>
      Array.from(
        { length: char.length },
        (_, index) => String.raw`\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`,
      ).join(''),
  );
