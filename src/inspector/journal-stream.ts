import type { ServerResponse } from 'node:http';
import type { About, Feed } from './feed.ts';

/**
 * Sends a feed to one page, each message as one line of JSON: what is kept from the wanted number on,
 * then what comes. A page that reads slowly is waited for, and nothing is held for it but its place. Resolves when
 * the page has left, with whether it was sent all there is to the end of the feed.
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
      // The end is reported last: a page that knows of it stops listening.
      const { ended } = feed.about;
      if ((written !== feed.about || ended) && !response.writableEnded) tellAbout(ended);
      if (ended) response.end();
    };
    // Entries come in bursts, and a batch is cheaper than its entries.
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
      // Only the end of the feed ends it.
      resolve(response.writableFinished);
    });
    // A page that went away is not an error of the session's.
    response.on('error', () => undefined);
    send();
  });
}
