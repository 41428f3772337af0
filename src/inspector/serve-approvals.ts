import type { ApprovalsSource } from './approvals-source.ts';
import { Feed } from './feed.ts';
import { serveFeed, type Inspector } from './serve-feed.ts';

/**
 * Serves a page with approvals alone: no session belongs to it.
 *
 * @throws {HookmachineError} when the port cannot be used
 */
export async function serveApprovals(
  durable: ApprovalsSource,
  port: number | undefined,
): Promise<Inspector> {
  const feed = new Feed({ source: 'live', title: 'Approvals', payloads: true, approvals: true });
  return serveFeed(feed, { durable, holdsProcess: true, ...(port !== undefined && { port }) });
}
