import { basename } from 'node:path';
import type { JournalEntry, RecordingHeader } from '../journal/entry.ts';
import { fixOfSkipped, readRecording, type SkippedLine } from '../journal/read-recording.ts';
import { Feed } from './feed.ts';
import type { HistoryLimits } from './history.ts';
import { counted } from '../../base/counted.ts';

/** The most skipped lines of a file that are reported individually. */
const mostReported = 5;

/** Recordings on their way to a page. */
export interface RecordingFeed {
  readonly feed: Feed;
  /** Reads all of them into the feed, which then ends. Reading stops early once `isUnwanted` returns true. */
  readonly read: (isUnwanted?: () => boolean) => Promise<void>;
}

/**
 * Makes a feed of recordings. Their headers are read now, so that a file that is not a recording is an error
 * and not an empty page. Of recordings that are too large for a page, the newest part is kept.
 *
 * @throws {RecordingError} if a file is not a recording that can be read
 */
export async function recordingFeed(
  files: readonly string[],
  limits?: HistoryLimits,
): Promise<RecordingFeed> {
  const opened = await Promise.all(files.map(open));
  const feed = new Feed(
    {
      source: 'recording',
      title: files.map((file) => basename(file)).join(', '),
      payloads: opened.some(({ payloads }) => payloads),
    },
    limits,
  );
  return {
    feed,
    async read(isUnwanted = () => false) {
      for (const { entries, notices } of opened) {
        try {
          await readInto(feed, entries, isUnwanted);
        } catch (error) {
          feed.notice(`The rest could not be read: ${(error as Error).message}`);
        }
        for (const notice of notices()) feed.notice(notice);
      }
      if (feed.history.next === 1) feed.notice('This recording has no entries: nothing ran in it.');
      feed.end();
    },
  };
}

/** Opens a recording and reads its header. */
async function open(file: string) {
  const skipped: SkippedLine[] = [];
  let count = 0;
  const entries = readRecording(file, {
    onSkipped(line) {
      if (++count <= mostReported) skipped.push(line);
    },
  });
  const first = await entries.next();
  const more = (): number => count - mostReported;
  const notices = (): string[] => [
    ...skipped.map(
      ({ line, message }) =>
        `Line ${line} of ${file} ${message}, so it was skipped; ${fixOfSkipped}.`,
    ),
    ...(more() > 0 ? [`${counted(more(), 'more line was', 'more lines were')} skipped.`] : []),
  ];
  const payloads = !first.done && first.value.kind === 'recording' && first.value.payloads;
  return { entries, notices, payloads };
}

/** How many entries are read before the pages get their turn. */
const atOnce = 2_000;

async function readInto(
  { write }: Feed,
  entries: AsyncIterable<JournalEntry | RecordingHeader>,
  isUnwanted: () => boolean,
): Promise<void> {
  let read = 0;
  for await (const entry of entries) {
    if (isUnwanted()) return;
    if (entry.kind !== 'recording') write(entry);
    if (++read % atOnce === 0) await new Promise((resolve) => void setImmediate(resolve));
  }
}
