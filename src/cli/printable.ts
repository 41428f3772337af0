export { printable } from '../log.ts';

/** Characters that nobody sees, or that look like a blank or like nothing of their own. */
const unseen =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** A text of which every character is to be seen, on one line: for what a user is asked to agree to. */
export const visible = (text: string): string =>
  text.replaceAll(unseen, (char) =>
    char === '\n' ? String.raw`\n` : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );

/** JSON for a terminal: what could play tricks there, or be overlooked, is escaped, so that it still reads as the same value. */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu,
    (char) =>
      Array.from(
        { length: char.length },
        (_, index) => String.raw`\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`,
      ).join(''),
  );
