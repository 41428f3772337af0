import type { AnsweredEntry, JournalEntry, VerdictEntry } from './entry.ts';
import { plainField, plainName } from './hook-answer.ts';

/**
 * Removes from an entry everything that only a recording with payloads has, and whatever may quote it; undefined if
 * nothing is left.
 */
export function withoutPayloads(entry: JournalEntry): JournalEntry | undefined {
  switch (entry.kind) {
    case 'started': {
      const { payload: _, callId, ...rest } = entry;
      const isModelMade = entry.machine === 'toolCall' || entry.machine === 'modelCall';
      return {
        ...rest,
        ...(callId !== undefined && { callId: plainName(callId) }),
        ...(isModelMade && { name: plainName(entry.name) }),
      };
    }
    case 'answered':
      return plainAnswer(entry);
    case 'verdict':
      return plainVerdict(entry);
    case 'ended': {
      const { payload: _, reason: __, ...rest } = entry;
      return rest;
    }
    case 'warned':
      return undefined;
    case 'moved':
      return entry;
  }
}

function plainAnswer(entry: AnsweredEntry): AnsweredEntry {
  const { payload: _, error: __, notes: ___, reason, sets, ...rest } = entry;
  const isReasoned = entry.status === 'ok' && (entry.decision !== undefined || entry.stop);
  return {
    ...rest,
    ...(isReasoned && reason !== undefined && { reason }),
    ...(sets && { sets: sets.map(plainField) }),
  };
}

function plainVerdict({ reason, setBy, conflicts, ...rest }: VerdictEntry): VerdictEntry {
  return {
    ...rest,
    ...(reason !== undefined && { reason: reason.replace(failure, '$1') }),
    setBy: Object.fromEntries(
      Object.entries(setBy).map(([field, hook]) => [plainField(field), hook]),
    ),
    conflicts: conflicts.map((one) => ({ ...one, field: plainField(one.field) })),
  };
}

/** What is said of a failed hook, and what the hook itself said, which may be anything. */
const failure =
  /(Blocked because (?:the hook "[^"]*" failed|a hook failed|the hooks could not be (?:run|planned))): [^]*$/;
