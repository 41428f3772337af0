import { warn } from '../../base/log.ts';
import { reportedInSession } from '../../settings/files/reported-in-session.ts';
import { trustedIn } from '../../settings/trust/trusted-in.ts';
import { guardStreams } from './guard-streams.ts';

/**
 * Reports the guards of a project that the user trusted and that have gone, changed or been disabled since,
 * in one line; with a session id, only once in the session. It runs no program of the project.
 */
export async function reportMissingGuards(cwd: string, sessionId?: string): Promise<void> {
  const trusted = trustedIn(cwd, () => undefined);
  if (trusted === undefined || trusted.hooks.length === 0) return;
  // Loaded here, so that events of projects in which nothing was trusted do not pay for it.
  const { missingLineIn } = await import('./missing-line-in.ts');
  const line = await missingLineIn(cwd, trusted.hooks);
  if (line === undefined || (sessionId !== undefined && reportedInSession(sessionId, line))) return;
  guardStreams();
  warn(undefined, line);
}
