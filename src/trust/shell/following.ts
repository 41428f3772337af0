import type { SyntaxNode, Word } from 'unbash';
import type { Findings } from './findings.ts';
import type { Meaning } from './meaning.ts';
import type { Places } from './places.ts';
import type { Said } from './said.ts';
import type { Variables } from './variables.ts';

/** Where a command's input comes from; undefined when it is that of the hook. */
export type Input =
  | { readonly from: 'pipe'; readonly text?: string; readonly files?: readonly string[] }
  | { readonly from: 'text'; readonly text: string }
  | { readonly from: 'file' }
  | undefined;

/** What following a command knows, what it has found, and how it goes on with what a part of it holds. */
export interface Following {
  readonly places: Places;
  readonly findings: Findings;
  readonly variables: Variables;
  /** Functions that the command defines. */
  readonly functions: ReadonlySet<string>;
  /** The input of the command that is being followed. */
  input: Input;
  /** What a word may come to here. */
  means(word: Word): Meaning;
  /** Follows any part of a command. */
  node(node: SyntaxNode): void;
  /** Follows what a part of a command holds. */
  inner(node: SyntaxNode): void;
  /** Follows shell code that the present code runs. */
  code(code: string): void;
  /** Follows a program with its arguments. */
  run(words: readonly Said[]): void;
}
