import type { CreateConfigOptions } from '../../../src/hosts/system/create-config.ts';
import type { JournalEntry, JournaledMachine } from '../../../src/watch/journal/entry.ts';
import {
  journalTo,
  type Journal,
  type JournalOptions,
} from '../../../src/watch/journal/journal.ts';

export type EntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

/** A journal and what it reported. */
export interface Seen {
  readonly journal: Journal;
  readonly entries: readonly JournalEntry[];
  /** For the config of the session to observe. */
  readonly config: Pick<CreateConfigOptions, 'inspect' | 'onWarning'>;
  of<Kind extends JournalEntry['kind']>(kind: Kind): EntryOf<Kind>[];
  /** The runs of a machine, in the order in which they began. */
  started(machine: JournaledMachine): EntryOf<'started'>[];
  /** The entry of this kind about the run of this name. */
  entryOf<Kind extends 'answered' | 'verdict' | 'ended'>(kind: Kind, name: string): EntryOf<Kind>;
}

/** Makes a journal for the running test. */
export function journaled(options?: JournalOptions): Seen {
  const entries: JournalEntry[] = [];
  const journal = journalTo((entry) => entries.push(entry), options);
  const of = <Kind extends JournalEntry['kind']>(kind: Kind): EntryOf<Kind>[] =>
    entries.filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
  return {
    journal,
    entries,
    config: { inspect: journal.observe, onWarning: journal.warned },
    of,
    started: (machine) => of('started').filter((entry) => entry.machine === machine),
    entryOf: (kind, name) => {
      const ids = of('started').flatMap((entry) => (entry.name === name ? [entry.id] : []));
      return (of(kind) as { id: string }[]).find(({ id }) => ids.includes(id)) as EntryOf<
        typeof kind
      >;
    },
  };
}
