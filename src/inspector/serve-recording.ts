import { basename } from 'node:path';
import type { JournalEntry, RecordingHeader } from '../journal/entry.ts';
import { fixOfSkipped, readRecording, type SkippedLine } from '../journal/read-recording.ts';
import { Feed } from './feed.ts';
import type { HistoryLimits } from './history.ts';
import { serveFeed, type Inspector } from './serve-feed.ts';

export interface ServeRecordingOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Of a larger recording, the newest part is shown. */
  readonly limits?: HistoryLimits;
}

/** How many skipped lines are reported one by one. */
const mostTold = 5;

/** A recording's page. */
export interface RecordingPage extends Inspector {
  /** Resolves when all of it was read. */
  readonly read: Promise<void>;
}

/**
 * Serves the page of a recording. It is read as it is shown, and of one that is too large for a page
 * the newest part is kept.
 *
 * @throws {RecordingError} when the file is no recording that can be read
 * @throws {Error} when the port cannot be used
 */
export async function serveRecording(
  file: string,
  { port, limits }: ServeRecordingOptions = {},
): Promise<RecordingPage> {
  const skipped: SkippedLine[] = [];
  let count = 0;
  const entries = readRecording(file, {
    onSkipped(line) {
      if (++count <= mostTold) skipped.push(line);
    },
  });
  // Before anything is served, so that a file that is no recording is an error and not a page.
  const first = await entries.next();
  const payloads = !first.done && first.value.kind === 'recording' && first.value.payloads;
  const feed = new Feed({ source: 'recording', title: basename(file), payloads }, limits);
  const inspector = await serveFeed(feed, {
    ...(port !== undefined && { port }),
    holdsProcess: true,
  });
  let isClosed = false;
  const read = async (): Promise<void> => {
    try {
      await readInto(feed, entries, () => isClosed);
    } catch (error) {
      feed.notice(`The rest could not be read: ${(error as Error).message}`);
    }
    for (const { line, message } of skipped)
      feed.notice(`Line ${line} of ${file} ${message}, so it was skipped; ${fixOfSkipped}.`);
    if (count > mostTold) feed.notice(`${count - mostTold} more lines were skipped.`);
    if (feed.history.next === 1) feed.notice('This recording has no entries: nothing ran in it.');
    feed.end();
  };
  return {
    ...inspector,
    read: read(),
    close() {
      isClosed = true;
      return inspector.close();
    },
  };
}

/** How many entries are read before the pages get their turn. */
const atOnce = 2_000;

async function readInto(
  { write }: Feed,
  entries: AsyncIterable<JournalEntry | RecordingHeader>,
  isClosed: () => boolean,
): Promise<void> {
  let read = 0;
  for await (const entry of entries) {
    if (isClosed()) return;
    if (entry.kind !== 'recording') write(entry);
    if (++read % atOnce === 0) await new Promise((resolve) => void setImmediate(resolve));
  }
}
