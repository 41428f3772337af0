/** Characters that are invisible or have no look of their own, and those that a terminal obeys. */
const invisible = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800`;

/** Marks on top of more marks than any language needs: they would cover the lines around them. */
const flood = String.raw`(?<=\p{M}{8})\p{M}`;

/** Scripts in which a joiner decides how letters look. */
const joining = String.raw`\p{sc=Arab}\p{sc=Syrc}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}`;

/** What looks as it should only with an invisible character: an emoji, and joined letters. */
const needed = String.raw`\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]*(?:\u200D\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]*)*|(?<=[${joining}])[\u200C\u200D]`;

/** Made when they are first needed: that takes milliseconds. */
let everyUnseen: RegExp | undefined;
let neededOrUnseen: RegExp | undefined;

const everyOne = (): RegExp =>
  (everyUnseen ??= new RegExp(String.raw`[${invisible}\p{Co}]|(?! )\p{Zs}|${flood}`, 'gu'));
const unlessNeeded = (): RegExp =>
  (neededOrUnseen ??= new RegExp(String.raw`(${needed})|(?![\n\t])[${invisible}]|${flood}`, 'gu'));

const escaped = (char: string): string => `\\u{${char.codePointAt(0)!.toString(16)}}`;

/** Returns a text with every character visible, on one line: for what a user is asked to agree to. */
export const visible = (text: string): string =>
  text.replaceAll(everyOne(), (char) => (char === '\n' ? String.raw`\n` : escaped(char)));

/**
 * Makes a text safe for a terminal, line breaks aside: whatever could play tricks there, or be overlooked, is
 * made visible. The output of models, tools and settings may come from strangers.
 */
export const printable = (text: string): string =>
  text.replaceAll(unlessNeeded(), (char, isNeeded?: string) => isNeeded ?? escaped(char));

/** Returns the text without such characters. */
export const withoutUnseen = (text: string): string =>
  text.replaceAll(unlessNeeded(), (_, isNeeded?: string) => isNeeded ?? '');
