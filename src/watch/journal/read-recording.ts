import { createReadStream, statSync } from 'node:fs';
import { isTooDeep } from '../../base/json.ts';
import { messageOf } from '../../base/message-of.ts';
import type { JournalEntry, RecordingHeader } from './entry.ts';
import { headerIn, headerOf } from './header.ts';
import { faultOf, timeFaultOf } from './is-entry.ts';
import { linesOf } from './lines.ts';
import { RecordingError } from './recording-error.ts';

/** The longest line that is read, in bytes; those that we write are far shorter. */
const longestLine = 16_000_000;

/** A line that was skipped, and why. */
export interface SkippedLine {
  readonly line: number;
  readonly message: string;
}

export interface ReadRecordingOptions {
  /** Called for every line that was skipped; the others still count. */
  readonly onSkipped?: (skipped: SkippedLine) => void;
}

/**
 * Yields the entries of a recording, read on demand: however large the file is, only one line of it is kept
 * in memory. The entries of every session are preceded by a header.
 *
 * @example
 * for await (const entry of readRecording('session.jsonl')) console.log(entry.kind);
 *
 * @throws {RecordingError} if the file is not a recording that can be read
 */
export async function* readRecording(
  file: string,
  { onSkipped = () => undefined }: ReadRecordingOptions = {},
): AsyncGenerator<JournalEntry | RecordingHeader> {
  const found = statOf(file);
  if (found === undefined)
    throw new RecordingError(file, 'there is no such file; make one with --record FILE');
  if (!found.isFile()) throw new RecordingError(file, 'this is not a file; name a recording');
  if (found.size === 0)
    throw new RecordingError(file, 'this file is empty; make a recording with --record FILE');
  let isFirst = true;
  // Whether the current session is one of a newer hookmachine that continued the same file.
  let isForeign = false;
  for await (const { number, text, isTorn } of linesOf(chunksOf(file), longestLine)) {
    const skip = (message: string): void => onSkipped({ line: number, message });
    if (isFirst) {
      isFirst = false;
      const header = text === undefined ? undefined : headerIn(text);
      if (header === undefined)
        throw new RecordingError(
          file,
          'this is not a hookmachine recording: line 1 is not a header; make one with --record FILE',
        );
      if (header === 'newer')
        throw new RecordingError(
          file,
          'this recording was made by a newer hookmachine; read it with that one',
        );
      yield checked(header, skip);
      continue;
    }
    if (text === '') continue;
    if (text === undefined) {
      skip(`is longer than ${longestLine} bytes`);
      continue;
    }
    // The code that displays an entry is recursive. It would fail on this one, and would not display those
    // after it either.
    if (isTooDeep(text)) {
      skip('is nested too deeply');
      continue;
    }
    const value = parsed(text);
    if (value === undefined) {
      skip(isTorn ? 'is torn: the process was ended while writing it' : 'is not valid JSON');
      continue;
    }
    const header = headerOf(value);
    isForeign = header === undefined ? isForeign : header === 'newer';
    if (header === 'newer') skip('begins a session of a newer hookmachine, which is ignored');
    else if (isForeign) continue;
    else if (header !== undefined) yield checked(header, skip);
    else {
      const fault = faultOf(value);
      if (fault === undefined) yield value as JournalEntry;
      else skip(fault);
    }
  }
}

/** Checks a header. If its time is invalid, the entries below it still count. */
function checked(header: RecordingHeader, skip: (message: string) => void): RecordingHeader {
  const fault = timeFaultOf(header);
  if (fault === undefined) return header;
  skip(fault);
  return { ...header, at: 0 };
}

/** What the user can do about skipped lines. */
export const fixOfSkipped = 'correct or remove such lines, or record again';

function statOf(file: string): ReturnType<typeof statSync> {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(file)) yield chunk as Buffer;
  } catch (error) {
    throw unreadable(file, error);
  }
}

const unreadable = (file: string, cause: unknown): RecordingError =>
  new RecordingError(file, `cannot be read (${messageOf(cause)}); give this user read permission`, {
    cause,
  });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
