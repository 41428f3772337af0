import type { VerdictEntry } from './entry.ts';

/** What the hooks of an event decided, in a word; a denial goes before all else. */
export function decisionOf(
  verdict: Pick<VerdictEntry, 'blocked' | 'stop' | 'ask' | 'defer'> | undefined,
): 'deny' | 'ask' | 'defer' | 'stop' | 'none' {
  if (verdict?.blocked) return 'deny';
  if (verdict?.stop) return 'stop';
  if (verdict?.defer) return 'defer';
  return verdict?.ask ? 'ask' : 'none';
}
