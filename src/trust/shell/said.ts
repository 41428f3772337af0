import type { Meaning } from './meaning.ts';

/** A word of a command, and what it may come to. */
export interface Said {
  readonly written: string;
  readonly meant: Meaning;
}

/** A text that stands in a word, as a word of its own. */
export const saidAs = (text: string): Said => ({
  written: text,
  meant: { texts: [text], guesses: [text], start: text },
});

/** The texts that a word may be; undefined when that cannot be known. */
export const literally = ({ meant }: Said): readonly string[] | undefined =>
  meant.unknown === undefined ? meant.texts : undefined;

/** A text as it is shown in a sentence about it. */
export const quote = (text: string): string => JSON.stringify(text);
