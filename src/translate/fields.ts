import { ignored } from '../protocol/notes.ts';

/** A number, if it is one. */
export function readNumber(value: unknown, path: string, notes: string[]): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value !== undefined && value !== null) notes.push(ignored(path, value, 'a number'));
  return undefined;
}

/** A text, if it is one. */
export function readText(value: unknown, path: string, notes: string[]): string | undefined {
  if (typeof value === 'string') return value;
  if (value !== undefined && value !== null) notes.push(ignored(path, value, 'a text'));
  return undefined;
}

/** A list of texts, without what is none; undefined when it is no list. */
export function readTexts(value: unknown, path: string, notes: string[]): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) {
    notes.push(ignored(path, value, 'a list of texts'));
    return undefined;
  }
  return value.filter((entry, index): entry is string => {
    if (typeof entry === 'string') return true;
    notes.push(ignored(`${path}[${index}]`, entry, 'a text'));
    return false;
  });
}
