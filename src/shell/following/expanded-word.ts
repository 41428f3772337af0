import type { Meaning } from './meaning.ts';

/** A word of a command, and what it may expand to. */
export interface ExpandedWord {
  readonly written: string;
  readonly meant: Meaning;
}

/** Turns a text that is part of a word into a word of its own. */
export const literalWord = (text: string): ExpandedWord => ({
  written: text,
  meant: { texts: [text], guesses: [text], start: text, patterns: [text] },
});

/** A word that only the program knows that passes it on, such as an argument that `xargs` adds. */
export const unknownWord = (written: string, patterns: readonly string[] = []): ExpandedWord => ({
  written,
  meant: { texts: [], unknown: written, guesses: [], start: '', patterns },
});

/** Returns the texts that a word may expand to; undefined if they cannot be known. */
export const literally = ({ meant }: ExpandedWord): readonly string[] | undefined =>
  meant.unknown === undefined ? meant.texts : undefined;

/** Quotes a text for a sentence about it. */
export const quote = (text: string): string => JSON.stringify(text);
