import type { DialectOutline } from '../dialects/dialect.ts';
import { findAllHooks } from '../hooks/find-hooks.ts';
import { HookPlanner, type MatchSubject } from '../hooks/hook-planner.ts';
import { HookRegistry } from '../hooks/hook-registry.ts';
import { settingsConfig } from '../hooks/settings-config.ts';
import { tellOnce } from '../hooks/tell-once.ts';
import { warn } from '../log.ts';
import type { HookEventName } from '../protocol/events.ts';
import { formatProblem } from '../settings/problem.ts';
import { guardStreams } from './guard-streams.ts';

/**
 * Whether it is certain at first sight that no hook is meant for an event; what is wrong with the
 * settings is then told. It asks nobody whom the user trusts, and runs nothing: where an answer hangs
 * on that, a hook system has to look.
 */
export async function hasNoHook(
  cwd: string,
  dialects: readonly DialectOutline[],
  hooks: boolean,
  event: HookEventName,
  subject: MatchSubject,
): Promise<boolean> {
  const options = { cwd, onWarning: tellUser, ...(!hooks && ({ enableHooks: false } as const)) };
  const config = { ...settingsConfig(options, dialects), getHookSystem: () => undefined };
  if (!config.getEnableHooks()) return true;
  let isTrustAsked = false;
  const trusts = (): boolean => {
    isTrustAsked = true;
    return false;
  };
  const registry = new HookRegistry(config, await findAllHooks(config, dialects, trusts));
  const planner = new HookPlanner<DialectOutline>(() => undefined, trusts);
  planner.use(registry);
  if (planner.plan(event, subject) !== undefined || isTrustAsked) return false;
  const tell = tellOnce(tellUser);
  for (const problem of registry.problems) tell(formatProblem(problem));
  return true;
}

function tellUser(line: string): void {
  guardStreams();
  warn(undefined, line);
}
