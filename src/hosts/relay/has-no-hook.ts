import type { Dialect } from '../../core/dialects/dialect.ts';
import { hookPointOf } from '../../core/points/hook-points.ts';
import { findAllHooks } from '../system/find-hooks.ts';
import { HookPlanner } from '../../core/plan/hook-planner.ts';
import type { MatchSubject } from '../../core/plan/hook-plan.ts';
import { HookRegistry } from '../system/hook-registry.ts';
import { settingsConfig, type SettingsConfigOptions } from '../system/settings-config.ts';
import { tellOnce, warn } from '../../base/log.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import { formatProblem } from '../../core/definitions/problem.ts';
import { guardStreams } from './guard-streams.ts';

/** The result of a first look at the settings. */
interface FirstLook {
  /** It is certain that no hook matches the event. */
  readonly hasNone: boolean;
  /** Some settings could not be read, so nobody knows which hooks they hold. */
  readonly isUnread: boolean;
}

/**
 * How long the matchers of a level may take here, in ms: those that take longer are left to the hook system.
 */
const matcherLimit = 10;

/**
 * Whether it is certain at first sight that no hook matches an event, for any of its subjects; if so,
 * problems of the settings are reported. It checks for no single hook whether the user trusts it, and runs
 * nothing: if the answer depends on that, a hook system has to look.
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
  // Events that are to be audited go through a hook system.
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
    matcherLimit,
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

/** Warns the user of a command that may not have loaded its streams yet. */
export function tellUser(line: string): void {
  guardStreams();
  warn(undefined, line);
}
