import type { ApprovalsSource } from './approvals-source.ts';
import { Feed } from './feed.ts';
import { serveFeed, type Inspector } from './serve-feed.ts';

/**
 * Serves a page that shows only approvals, without a session.
 *
 * @throws {HookmachineError} if the port cannot be used
 */
export async function serveApprovals(
  durable: ApprovalsSource,
  port: number | undefined,
): Promise<Inspector> {
  const feed = new Feed({ source: 'live', title: 'Approvals', payloads: true, approvals: true });
  return serveFeed(feed, { durable, holdsProcess: true, ...(port !== undefined && { port }) });
}
