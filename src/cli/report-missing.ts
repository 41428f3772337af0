import { warn } from '../log.ts';
import { reportedInSession } from '../settings/reported-in-session.ts';
import { trustedIn } from '../trust/trusted-in.ts';
import { guardStreams } from './guard-streams.ts';

/**
 * Reports guards of a project that the user trusted and that have gone, changed or been disabled since, in
 * one line; with a session id once a session. No program of the project is run for it.
 */
export async function reportMissingGuards(cwd: string, sessionId?: string): Promise<void> {
  const trusted = trustedIn(cwd, () => undefined);
  if (trusted === undefined || trusted.hooks.length === 0) return;
  // What compares hooks is not loaded for each event of projects in which nothing was trusted.
  const { missingLineIn } = await import('./missing-line-in.ts');
  const line = await missingLineIn(cwd, trusted.hooks);
  if (line === undefined || (sessionId !== undefined && reportedInSession(sessionId, line))) return;
  guardStreams();
  warn(undefined, line);
}
