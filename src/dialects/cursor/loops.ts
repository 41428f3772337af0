import type { HookPayload } from '../../../machines/hook-event.ts';

/** By session, how often in a row hooks have sent the agent on. */
const counts = new Map<string, number>();

/** More sessions than this at once are nobody's. */
const mostSessions = 1_000;

/** How often the agent has been sent on before this end of its turn, as the host says or as it was here. */
export function loopCount(payload: HookPayload): number {
  const { loop_count: given, stop_hook_active: isActive, session_id: session } = payload;
  if (typeof given === 'number') return given;
  return isActive === true ? (counts.get(String(session)) ?? 1) : 0;
}

/** Remembers that the agent is sent on. */
export function countLoop(payload: HookPayload): void {
  const next = loopCount(payload) + 1;
  if (counts.size >= mostSessions) counts.clear();
  counts.set(String(payload['session_id']), next);
}
