import type { Dialect } from '../dialects/dialect.ts';
import { hookPointOf } from '../hook-points.ts';
import { findAllHooks } from '../hooks/find-hooks.ts';
import { HookPlanner, type MatchSubject } from '../hooks/hook-planner.ts';
import { HookRegistry } from '../hooks/hook-registry.ts';
import { settingsConfig, type SettingsConfigOptions } from '../hooks/settings-config.ts';
import { tellOnce, warn } from '../log.ts';
import type { HookEventName } from '../protocol/events.ts';
import { formatProblem } from '../settings/problem.ts';
import { guardStreams } from './guard-streams.ts';

/** What a first look at the settings found. */
interface FirstLook {
  /** It is certain that no hook matches the event. */
  readonly hasNone: boolean;
  /** Settings are there that could not be read, so that nobody knows whose hooks they hold (S-10). */
  readonly isUnread: boolean;
}

/** How long the matchers of a level may take here, in ms: those that take longer are left to the hook system. */
const glanceLimit = 10;

/**
 * Whether it is certain at first sight that no hook matches an event, for any of its subjects; what is
 * wrong with the settings is then reported. It asks of no single hook whether the user trusts it, and runs
 * nothing: where an answer hangs on that, a hook system has to look.
 */
export async function hasNoHook(
  options: Pick<
    SettingsConfigOptions,
    | 'cwd'
    | 'enableHooks'
    | 'isTrustedFolder'
    | 'trustHint'
    | 'onNote'
    | 'wasReported'
    | 'runsElsewhere'
  >,
  dialects: readonly Dialect[],
  event: HookEventName,
  subjects: readonly MatchSubject[],
): Promise<FirstLook> {
  const config = {
    ...settingsConfig({ ...options, onWarning: tellUser }, () => dialects),
    getHookSystem: () => undefined,
  };
  const isUnread = config.getUnreadFiles().length > 0;
  // What is to be recorded goes through a hook system.
  if (config.getAudit?.() !== undefined) return { hasNone: false, isUnread };
  if (!config.getEnableHooks()) return { hasNone: true, isUnread };
  if (config.getUnknownGuards().length > 0 && hookPointOf(event).needsGuards)
    return { hasNone: false, isUnread };
  let isTrustAsked = false;
  const trusts = (): boolean => {
    isTrustAsked = true;
    return false;
  };
  const found = await findAllHooks(config, dialects, trusts);
  const registry = new HookRegistry(config, found);
  const planner = new HookPlanner(() => undefined, trusts, {
    matcherLimit: glanceLimit,
  });
  planner.use(registry);
  const isPlanned = subjects.some((subject) => planner.plan(event, subject) !== undefined);
  if (isPlanned || isTrustAsked) return { hasNone: false, isUnread };
  const tell = tellOnce(tellUser);
  for (const problem of registry.problems.map(formatProblem))
    if (options.wasReported?.(problem) !== true) tell(problem);
  for (const note of registry.taken) config.onNote(note);
  return { hasNone: true, isUnread };
}

/** Tells a user of a command that may have no streams yet. */
export function tellUser(line: string): void {
  guardStreams();
  warn(undefined, line);
}
