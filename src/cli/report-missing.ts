import type { Dialect } from '../dialects/dialect.ts';
import { knownDialects } from '../dialects/index.ts';
import { findAllHooks } from '../hooks/find-hooks.ts';
import { HookRegistry } from '../hooks/hook-registry.ts';
import { settingsConfig } from '../hooks/settings-config.ts';
import { warn } from '../log.ts';
import { missingGuards, missingLine } from './missing-guards.ts';
import { trustedIn } from '../trust/project-trust.ts';
import { guardStreams } from './guard-streams.ts';
import { reportedInSession } from '../settings/reported-in-session.ts';

/** Dialects whose hooks are trusted: one of each family, for those of a family find the same. */
const dialects: readonly Dialect[] = knownDialects.filter(
  ({ family }, index) => knownDialects.findIndex((other) => other.family === family) === index,
);

/**
 * Reports guards of a project that the user trusted and that have gone, changed or been disabled since, in
 * one line; with a session id once a session. No program of the project is run for it.
 */
export async function reportMissingGuards(cwd: string, sessionId?: string): Promise<void> {
  const trusted = trustedIn(cwd, () => undefined);
  if (trusted === undefined || trusted.hooks.length === 0) return;
  const options = { cwd, onWarning: () => undefined };
  const config = { ...settingsConfig(options, () => dialects), getHookSystem: () => undefined };
  const found = await findAllHooks(config, dialects, () => false);
  const line = missingLine(missingGuards(trusted.hooks, config, new HookRegistry(config, found)));
  if (line === undefined || (sessionId !== undefined && reportedInSession(sessionId, line))) return;
  guardStreams();
  warn(undefined, line);
}
