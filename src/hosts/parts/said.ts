import { type Decision, decisions } from '../../core/answers/answer.ts';
import { inTable } from '../../base/json.ts';

/** A text that is not empty. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The decisions that those hosts have in common. */
type Meaning = Exclude<Decision, 'defer'>;

const meanings: Readonly<Record<string, Meaning>> = {
  deny: 'deny',
  block: 'deny',
  ask: 'ask',
  allow: 'allow',
  approve: 'allow',
};

/** What a word of `decision` means in hooks that follow Claude Code's. */
export const meaningOf = (word: unknown): Meaning | undefined =>
  typeof word === 'string' ? inTable(meanings, word) : undefined;

/** The strictest of these words. */
export const strictest = (words: readonly unknown[]): Decision | undefined =>
  decisions.find((one) => one !== 'defer' && words.includes(one));
