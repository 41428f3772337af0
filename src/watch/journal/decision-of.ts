import type { VerdictEntry } from './entry.ts';

/** The decision of an event's hooks, in one word. A denial takes precedence over everything else. */
export function decisionOf(
  verdict: Pick<VerdictEntry, 'blocked' | 'stop' | 'ask' | 'defer'> | undefined,
): 'deny' | 'ask' | 'defer' | 'stop' | 'none' {
  if (verdict?.blocked) return 'deny';
  if (verdict?.stop) return 'stop';
  if (verdict?.defer) return 'defer';
  return verdict?.ask ? 'ask' : 'none';
}
