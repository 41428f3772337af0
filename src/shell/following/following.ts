import type { SyntaxNode, Word } from 'unbash';
import type { Findings } from './findings.ts';
import type { Meaning } from './meaning.ts';
import type { Places } from './places.ts';
import type { ExpandedWord } from './expanded-word.ts';
import type { Variables } from './variables.ts';

/** Where a command's input comes from; undefined if it is the hook's own input. */
export type Input =
  | { readonly from: 'pipe'; readonly text?: string; readonly files?: readonly string[] }
  | { readonly from: 'text'; readonly text: string }
  | { readonly from: 'file' }
  | undefined;

/** The state of following a command: what is known, what has been found, and how its parts are followed. */
export interface Following {
  readonly places: Places;
  readonly findings: Findings;
  readonly variables: Variables;
  /** Functions that the command defines. */
  readonly functions: ReadonlySet<string>;
  /** The input of the command that is being followed. */
  input: Input;
  /** Returns what a word may expand to here. */
  means(word: Word): Meaning;
  /** Follows any part of a command. */
  node(node: SyntaxNode): void;
  /** Follows the children of a part of a command. */
  inner(node: SyntaxNode): void;
  /**
   * Follows the content of a shell script; returns false if there is none. One that is sourced runs in the same
   * shell.
   */
  script(name: string, isSourced?: boolean): boolean;
  /** Follows shell code that the current code runs. */
  code(code: string): void;
  /** Follows a program with its arguments. */
  run(words: readonly ExpandedWord[]): void;
  /** Follows a program that another one finds by this name. */
  program(name: string, args: readonly ExpandedWord[]): void;
}
