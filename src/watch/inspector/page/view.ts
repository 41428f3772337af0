import type { About } from '../feed.ts';
import type { Row, Run } from './run.ts';
import type { Runs } from './runs.ts';

/** What a feed reports about itself, with the numbers of its entries. */
export interface Numbered extends About {
  /** The numbers of the oldest entry that is kept and of the next one to come. */
  readonly first: number;
  readonly next: number;
}

/** The state of the page. Its parts read it, and change it only through these functions. */
export interface View {
  readonly runs: Runs;
  readonly about: About;
  /** The moment shown; `Infinity` follows the latest. */
  readonly moment: number;
  readonly isFollowing: boolean;
  /** Whether more may happen and the server can still be reached. */
  readonly isLive: boolean;
  /** The end of the time axis. While something runs, time goes on between entries. */
  readonly now: number;
  readonly selected: Row | undefined;
  /** The part of the selected row whose machine is shown. */
  readonly focus: Run | undefined;
  /** The words searched for, in lower case. */
  readonly wanted: readonly string[];
  /** What the list says when it is empty. */
  readonly emptyText: string;
  /** Selects the row of a run, or the run within its row; `reveal` scrolls the list to it. */
  choose(run: Run | undefined, reveal?: boolean): void;
  /** Shows the machine of a run, and scrolls to the facts of that run unless the page keeps its place. */
  look(run: Run | undefined, keepsPlace?: boolean): void;
  seek(moment: number): void;
  /** Searches for a text. */
  search(text: string): void;
}
