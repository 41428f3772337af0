import type { JournalEntry } from './entry.ts';
import { plainName } from './hook-answer.ts';

/**
 * Removes from an entry everything that only a recording with payloads has, and whatever may quote it; undefined if
 * nothing is left.
 */
export function withoutPayloads(entry: JournalEntry): JournalEntry | undefined {
  switch (entry.kind) {
    case 'started': {
      const { payload: _, ...rest } = entry;
      const isModelMade = entry.machine === 'toolCall' || entry.machine === 'modelCall';
      return isModelMade ? { ...rest, name: plainName(entry.name) } : rest;
    }
    case 'answered': {
      const { payload: _, error: __, notes: ___, ...rest } = entry;
      return rest;
    }
    case 'ended': {
      const { payload: _, reason: __, ...rest } = entry;
      return rest;
    }
    case 'warned':
      return undefined;
    default:
      return entry;
  }
}
