import type { Script, SyntaxNode } from 'unbash';
import type { Effect } from './effects.ts';
import type { ShellState } from './state.ts';

/** An effect without what the reader adds to it. */
export type OwnEffect = Effect extends infer One
  ? One extends Effect
    ? Omit<One, 'by' | 'where'>
    : never
  : never;

/** What the handling of a program may ask of the reader. */
export interface Running {
  readonly state: ShellState;
  /** What the program reads on stdin. */
  readonly stdin: string;
  /** The folder that it runs in. */
  readonly folder: string;
  /** The variables that are set for this program alone. */
  readonly env: Readonly<Record<string, string>>;
  /** The program and its arguments as they stand in the command. */
  readonly words: readonly string[];
  emit(effect: OwnEffect): void;
  /** Runs a program with its arguments and returns what it prints. */
  run(words: readonly string[], options?: RunOptions): string;
  /** Runs shell code in this shell and returns what it prints. */
  code(text: string, options?: { readonly stdin?: string }): string;
  /** Runs a part of the command in this shell. */
  node(node: SyntaxNode): string;
  capture(script: Script): string;
  /** Runs something in a shell of its own, whose changes do not come back. */
  apart<Result>(inner: (state: ShellState) => Result): Result;
  /** Returns an argument as an absolute path. */
  path(text: string): string;
  /** Returns what a file contains, as far as that can be known. */
  contentOf(path: string): string;
  /** Records what a file would contain. */
  write(path: string, text: string, isAppended: boolean): void;
  /** Whether this file is being run already; true from then on. */
  enters(path: string): boolean;
}

/** How a program is started by another. */
export interface RunOptions {
  readonly stdin?: string;
  readonly via?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that it starts in; default: the shell's. */
  readonly folder?: string | undefined;
}
