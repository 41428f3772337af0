import CachePolicy from 'http-cache-semantics';
import type { HookCommand } from '../../machines/hook-process.ts';
import { isRecord } from '../base/json.ts';
import { keptInProcess } from '../base/surroundings.ts';

/** An answer as the server gave it. */
export interface CachedResponse {
  readonly status: number;
  readonly body: string;
}

interface Kept {
  readonly policy: CachePolicy;
  readonly response: CachedResponse;
}

/**
 * How many answers are kept, and the longest that is kept, in characters; beyond that, the oldest are
 * dropped.
 */
const mostKept = 500;
const longestKept = 100_000;

/*
 * Answers that their server allows to be kept (RFC 9111), for this process only: what is kept on a disk could
 * be written by whoever is guarded. An answer belongs to one event, whenever that event occurs again.
 */
const answers = keptInProcess(() => new Map<string, Kept>());

/**
 * The question, apart from its time, and who asks it: a weaker hook may have believed another server, or sent
 * other credentials.
 */
export function cacheKey(
  { sharing }: Pick<HookCommand, 'sharing'>,
  url: string,
  sent: { readonly headers: object; readonly tls: object | undefined },
  stdin: string,
): string {
  const event: unknown = JSON.parse(stdin);
  const asked = isRecord(event) ? { ...event, timestamp: undefined } : event;
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  return hash.update(JSON.stringify([sharing, url, sent, asked])).digest('base64');
}

const requestOf = (
  url: string,
  headers: Readonly<Record<string, string>>,
): CachePolicy.Request => ({
  method: 'POST',
  url,
  headers: { host: new URL(url).host, ...headers },
});

/** What identifies a request to `keepAnswer` and in look-ups. */
export type Asked = readonly [key: string, url: string, headers: Readonly<Record<string, string>>];

/** Returns the answer if it is still fresh. */
export function freshAnswer([key, url, headers]: Asked): CachedResponse | undefined {
  const found = answers().get(key);
  return found?.policy.satisfiesWithoutRevalidation(requestOf(url, headers))
    ? found.response
    : undefined;
}

/**
 * Returns the answer that counts while the server is unavailable, if the server allowed that
 * (`stale-if-error`, RFC 5861).
 */
export function answerWhileAway([key, url, headers]: Asked): CachedResponse | undefined {
  const found = answers().get(key);
  if (found === undefined) return undefined;
  const away = { status: 503, headers: {} };
  const { modified } = found.policy.revalidatedPolicy(requestOf(url, headers), away);
  return modified ? undefined : found.response;
}

/** Keeps an answer if its server allows that; without explicit permission nothing is kept. */
export function keepAnswer(
  [key, url, headers]: Asked,
  response: CachedResponse,
  responseHeaders: CachePolicy.Headers,
): void {
  const kept = answers();
  kept.delete(key);
  if (response.body.length > longestKept) return;
  const policy = new CachePolicy(
    requestOf(url, headers),
    { status: response.status, headers: responseHeaders },
    { shared: false, cacheHeuristic: 0 },
  );
  if (!policy.storable()) return;
  kept.set(key, { policy, response });
  for (const oldest of kept.keys()) {
    if (kept.size <= mostKept) break;
    kept.delete(oldest);
  }
}
