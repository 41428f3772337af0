/** Characters that are invisible, or that look like a space or have no look of their own. */
const unseen =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Returns a text with every character visible, on one line: for what a user is asked to agree to. */
export const visible = (text: string): string =>
  text.replaceAll(unseen, (char) =>
    char === '\n' ? String.raw`\n` : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
