import type { Command, Redirection } from 'unbash';
import type { Expander, Expanding } from './expand.ts';
import type { Running } from './running.ts';
import type { ShellState } from './state.ts';

/** What walking through the parts of a command needs from the reader. */
export interface Walking extends Running, Expanding {
  state: ShellState;
  /** Runs a simple command, once for each way in which its variables may stand. */
  command(command: Command): string;
  /** Runs something with these redirections. */
  redirect(redirects: readonly Redirection[], expander: Expander, inner: () => string): string;
  /** Runs something with this on stdin. */
  withStdin(stdin: string, inner: () => string): string;
}
