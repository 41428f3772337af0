import type { JournalEntry } from '../journal/entry.ts';
import { History, type HistoryLimits } from './history.ts';

/** What the page learns about the journal that it shows. */
export interface About {
  readonly source: 'live' | 'recording';
  /** The recording's name, or the project's folder. */
  readonly title: string;
  readonly payloads: boolean;
  /** Whether the page lists approvals. */
  readonly approvals?: boolean;
  /** What the reader should know, such as that a line was cut short. */
  readonly notices: readonly string[];
  /** Whether nothing more will come. */
  readonly ended: boolean;
}

/**
 * A journal on its way to its pages: its history, what is known about it, and a signal when there is news.
 */
export class Feed {
  readonly history: History;
  #about: About;
  readonly #watchers = new Set<() => void>();

  constructor(
    about: Pick<About, 'approvals' | 'payloads' | 'source' | 'title'>,
    limits?: HistoryLimits,
  ) {
    this.history = new History(limits);
    this.#about = { ...about, notices: [], ended: false };
  }

  get about(): About {
    return this.#about;
  }

  /** Adds an entry; pages receive it soon. */
  readonly write = (entry: JournalEntry): void => {
    this.history.push(entry);
    this.#tell();
  };

  /** Tells the reader of the page something about the journal itself. */
  notice(text: string): void {
    this.#change({ notices: [...this.#about.notices, text] });
  }

  /** Declares that nothing more will come. */
  end(): void {
    this.#change({ ended: true });
  }

  /** Calls back whenever there is news, until the returned function is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  #change(change: Partial<About>): void {
    this.#about = { ...this.#about, ...change };
    this.#tell();
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
