import type { About } from '../feed.ts';
import type { Row, Run } from './run.ts';
import type { Runs } from './runs.ts';

/** What a feed says of itself, with the numbers of its entries. */
export interface Numbered extends About {
  /** The oldest entry that is kept, and the one that will come. */
  readonly first: number;
  readonly next: number;
}

/** What the page shows: its parts read it, and change it by these functions only. */
export interface View {
  readonly runs: Runs;
  readonly about: About;
  /** The moment shown; `Infinity` follows what is latest. */
  readonly moment: number;
  readonly isFollowing: boolean;
  /** Whether more may happen, and somebody is there to ask. */
  readonly isLive: boolean;
  /** While something runs, time goes on between entries. */
  readonly now: number;
  readonly selected: Row | undefined;
  /** The part of the selected row whose machine is shown. */
  readonly focus: Run | undefined;
  /** The words that are looked for, in small letters. */
  readonly wanted: readonly string[];
  /** What the list says when it is empty. */
  readonly emptyText: string;
  /** Shows a row, or the run of a row; `reveal` scrolls the list to it. */
  choose(run: Run | undefined, reveal?: boolean): void;
  /** Shows the machine of a run. */
  look(run: Run | undefined, keepsPlace?: boolean): void;
  seek(moment: number): void;
  /** Looks for a text. */
  search(text: string): void;
}
