import type { HookPayload } from '../../../machines/hook-event.ts';
import { keptInProcess } from '../../base/surroundings.ts';

/** By session, how often in a row hooks have made the agent continue. */
const counts = keptInProcess(() => new Map<string, number>());

/** Nobody has more sessions than this at once. */
const mostSessions = 1_000;

/**
 * Returns how often the agent has been made to continue before this end of its turn, as the host says
 * or as counted here.
 */
export function loopCount(payload: HookPayload): number {
  const { loop_count: given, stop_hook_active: isActive, session_id: session } = payload;
  if (typeof given === 'number') return given;
  return isActive === true ? (counts().get(String(session)) ?? 1) : 0;
}

/** Records that the agent is made to continue. */
export function countLoop(payload: HookPayload): void {
  const next = loopCount(payload) + 1;
  const known = counts();
  if (known.size >= mostSessions) known.clear();
  known.set(String(payload['session_id']), next);
}
