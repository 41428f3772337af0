import type { HistoryLimits } from './history.ts';
import { recordingFeed } from './recording-feed.ts';
import { serveFeed, type Inspector } from './serve-feed.ts';

export interface ServeRecordingOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Of a larger recording, only the newest part is shown. */
  readonly limits?: HistoryLimits;
}

/** A recording's page. */
export interface RecordingPage extends Inspector {
  /** Resolves when the whole recording was read. */
  readonly read: Promise<void>;
}

/**
 * Serves the page of a recording, which is read while it is shown.
 *
 * @throws {RecordingError} if the file is not a recording that can be read
 * @throws {Error} if the port cannot be used
 */
export async function serveRecording(
  file: string,
  { port, limits }: ServeRecordingOptions = {},
): Promise<RecordingPage> {
  const { feed, read } = await recordingFeed([file], limits);
  const inspector = await serveFeed(feed, {
    ...(port !== undefined && { port }),
    holdsProcess: true,
  });
  let isClosed = false;
  return {
    ...inspector,
    read: read(() => isClosed),
    close() {
      isClosed = true;
      return inspector.close();
    },
  };
}
