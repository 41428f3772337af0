import type { ServerResponse } from 'node:http';
import type { About, Feed } from './feed.ts';

/**
 * Sends a feed to one page, one JSON message per line: first the kept entries from the wanted number on, then
 * new ones as they come. For a page that reads slowly, nothing is buffered; only its position is remembered.
 * Resolves when the page has left, to whether it received everything up to the end of the feed.
 */
export function streamTo(response: ServerResponse, feed: Feed, from: number): Promise<boolean> {
  response.writeHead(200, { 'content-type': 'application/jsonl; charset=utf-8' });
  return new Promise((resolve) => {
    let next = from;
    let written: About | undefined;
    let isWaiting = false;
    const { history } = feed;
    const isReady = (sent: boolean): boolean => {
      isWaiting = !sent;
      return sent;
    };
    const tellAbout = (ended: boolean): boolean => {
      written = feed.about;
      const about = { ...written, ended, first: history.first, next: history.next };
      return isReady(response.write(`${JSON.stringify({ about })}\n`));
    };
    const send = (): void => {
      if (isWaiting) return;
      if (written === undefined && !tellAbout(false)) return;
      for (let batch = history.batch(next); batch; batch = history.batch(next)) {
        const lost = Math.max(0, history.first - next);
        const skipped = lost > 0 ? `{"skipped":${lost}}\n` : '';
        next = batch.next;
        if (!isReady(response.write(`${skipped}{"sent":${batch.text}}\n`))) return;
      }
      // The end is reported last: a page that knows about it stops listening.
      const { ended } = feed.about;
      if ((written !== feed.about || ended) && !response.writableEnded) tellAbout(ended);
      if (ended) response.end();
    };
    // Entries come in bursts, and one batch is cheaper than many single entries.
    let soon: NodeJS.Immediate | undefined;
    const later = (): void => {
      soon ??= setImmediate(() => {
        soon = undefined;
        send();
      });
    };
    const stop = feed.watch(later);
    response.on('drain', () => {
      isWaiting = false;
      send();
    });
    response.on('close', () => {
      clearImmediate(soon);
      stop();
      // The response finishes only when the feed has ended.
      resolve(response.writableFinished);
    });
    // A page that went away is not an error of the session.
    response.on('error', () => undefined);
    send();
  });
}
