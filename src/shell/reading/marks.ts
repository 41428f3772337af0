/*
 * What is known of a text is part of the text: a mark, which is a character that no command contains for a
 * reason of its own, stands for what cannot be known, and says what kind of thing it is. Texts can then be
 * joined, cut and passed on like any others, and what they carry is never lost on the way.
 */

/** Something that cannot be known. */
export const unknownMark = '\uE000';
/** Something that came out of a secret: a key file, `.env`, a variable that is named like a token. */
export const secretMark = '\uE001';
/** Something that came from another machine. */
export const remoteMark = '\uE002';
/** What a program of this machine printed, which nobody outside decided. */
export const outputMark = '\uE005';
/** An unquoted `*`. */
export const starMark = '\uE003';
/** An unquoted `?` or `[…]`. */
export const anyMark = '\uE004';

const unknowns = /[\uE000-\uE002\uE005]/;
/** Matches each part of a text that is not known. */
export const unknownParts = /[\uE000-\uE002\uE005]+/g;
const globs = /[\uE003\uE004]/;

/** Whether every character of a text is known. */
export const isKnown = (text: string): boolean => !unknowns.test(text);

/** Whether the shell replaces a word with the names of files. */
export const isGlob = (text: string): boolean => globs.test(text);

/** Whether a text carries something secret. */
export const isSecret = (text: string): boolean => text.includes(secretMark);

/** Whether a text carries something from another machine. */
export const isRemote = (text: string): boolean => text.includes(remoteMark);

/** Returns what a program that is not understood makes of its input: unknown, but of the same kinds. */
export const blurred = (text: string): string =>
  [secretMark, remoteMark, unknownMark].filter((mark) => text.includes(mark)).join('') ||
  outputMark;

/** Returns a text as its author would recognise it, for a sentence about it. */
export const shown = (text: string): string =>
  text
    .replaceAll(starMark, '*')
    .replaceAll(anyMark, '?')
    .replaceAll(secretMark, '<secret>')
    .replaceAll(remoteMark, '<downloaded>')
    .replaceAll(unknownMark, '<unknown>')
    .replaceAll(outputMark, '<output>');
