import type { JournalEntry, MovedEntry } from '../journal/entry.ts';

/**
 * An entry on its way to a page, as one line without control characters. Most entries are steps of
 * machines, which a page needs of few runs: of such a one stands the run, and then the rest, which need
 * not be parsed.
 */
export function lineOf(entry: JournalEntry): string {
  if (entry.kind !== 'moved' || !/^[\w-]+$/.test(entry.id)) return JSON.stringify(entry);
  const { id, at, to, event, from } = entry;
  return `${id} ${JSON.stringify([at, to, event, ...(from === undefined ? [] : [from])])}`;
}

/** A step of a run, whose line goes on with this. */
export function movedOf(id: string, rest: string): MovedEntry {
  const [at, to, event, from] = JSON.parse(rest) as [number, string, string, string?];
  return { kind: 'moved', at, id, to, event, ...(from !== undefined && { from }) };
}

/** Stands between the lines of a batch that is sent as one. */
export const betweenLines = '\u001e';
