import type { JournalEntry } from '../../journal/entry.ts';
import type { Row } from './run.ts';

/** How much of a payload can be searched, in characters. */
const longestPayload = 2_000;

/**
 * Returns the text that a row is searched by, in lower case. It is made on first use, and again when more was
 * reported.
 */
export function searchText(row: Row): string {
  if (row.textVersion !== row.version) {
    row.text = row.entries.flatMap(textsOf).join('\n').toLowerCase();
    row.textVersion = row.version;
  }
  return row.text;
}

/** The words of a search; a row must contain all of them. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

function textsOf(entry: JournalEntry): string[] {
  switch (entry.kind) {
    case 'started': {
      const { name, callId, plan, payload } = entry;
      const hooks = plan?.hooks ?? [];
      return present([
        name,
        callId,
        ...hooks.flatMap((hook) => [hook.name, hook.command, hook.source, hook.dialect]),
        textOf(payload),
      ]);
    }
    case 'answered': {
      const { reason, stopReason, error, sets = [] } = entry;
      return present([reason, stopReason, error, ...sets]);
    }
    case 'verdict':
      return present([entry.reason, entry.stopReason]);
    case 'ended':
      return present([entry.reason, textOf(entry.payload)]);
    default:
      return [];
  }
}

const textOf = (payload: unknown): string | undefined => {
  if (payload === undefined) return undefined;
  return typeof payload === 'string'
    ? payload.slice(0, longestPayload)
    : JSON.stringify(payload)?.slice(0, longestPayload);
};

const present = (texts: readonly (string | undefined)[]): string[] =>
  texts.filter((text): text is string => text !== undefined && text !== '');

/** How long preparatory work may keep the reader waiting, in ms. */
const atOnce = 10;

/** Prepares the search bit by bit, so that the first key typed gets an immediate response. */
export function prepareSearch(rows: readonly Row[], next = 0): void {
  const until = performance.now() + atOnce;
  let at = next;
  while (at < rows.length && performance.now() < until) searchText(rows[at++]!);
  if (at < rows.length) setTimeout(() => prepareSearch(rows, at), atOnce);
}
