import { isRecord } from '../../base/json.ts';
import type { RecordingHeader } from './entry.ts';

/** The version of the format that is written, and the newest that can be read. */
export const formatVersion = 1;

/** The longest first line of a recording, in bytes. */
export const longestHeader = 1_000;

/**
 * Reads a line that may be a header: returns the header, `newer` for one of a newer version, or undefined if
 * it is something else.
 */
export function headerIn(line: string): RecordingHeader | 'newer' | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return headerOf(value);
}

/** The header that a parsed line is, as `headerIn` returns it. */
export function headerOf(value: unknown): RecordingHeader | 'newer' | undefined {
  if (!isRecord(value) || value['kind'] !== 'recording' || value['format'] !== 'hookmachine')
    return undefined;
  const { version } = value;
  if (typeof version !== 'number') return undefined;
  return version > formatVersion ? 'newer' : (value as unknown as RecordingHeader);
}
