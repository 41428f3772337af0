import type { Dialect } from '../dialects/dialect.ts';
import type { HookSite } from '../dialects/hook-site.ts';
import { hookPointOf, type HookEventName } from '../hook-points.ts';
import { authorities, type HookSource } from '../protocol/events.ts';
import type { HookDefinition } from '../settings/hook-definition.ts';
import { formatProblem, type SettingsProblem } from '../settings/problem.ts';
import { unknownGuard } from '../settings/unknown-guard.ts';

/**
 * Returns hooks that deny in place of those that could not be read: always for the administrator's, for any
 * other if its failure denies.
 */
export const lostGuards = (
  dialect: Dialect,
  problems: readonly SettingsProblem[],
  { deniesUnknown }: HookSite,
): HookDefinition[] =>
  problems.flatMap((problem) => {
    const { lost, file = dialect.name, place } = problem;
    if (lost === undefined) return [];
    const { sources, event, matcher, onFailure } = lost;
    const denies = (source: HookSource): boolean =>
      onFailure === 'block' ||
      (onFailure === undefined && (source === 'system' || deniesUnknown?.(source) === true));
    const source = sources.find(denies);
    if (source === undefined) return [];
    const why = `${formatProblem(problem)} (what it guards is unknown)`;
    return guardedEvents(dialect, event).map((guarded) =>
      unknownGuard(
        { ...guarded, source, file, name: file, place, ...(matcher !== undefined && { matcher }) },
        why,
      ),
    );
  });

/** The events that must not proceed while it is unknown what guards them: this one, or all of them. */
function guardedEvents(
  { events }: Dialect,
  name: string | undefined,
): Pick<HookDefinition, 'event' | 'nativeEvent'>[] {
  const byEvent = new Map<HookEventName, string>();
  for (const [native, event] of Object.entries(events))
    if (hookPointOf(event).needsGuards && (name === undefined || name === native))
      byEvent.set(event, byEvent.get(event) ?? native);
  return [...byEvent].map(([event, native]) => ({
    event,
    ...(native !== event && { nativeEvent: native }),
  }));
}

/** The sources from which a dialect may have hooks; without the administrator's unless that is certain. */
export function sourcesWithHooks(
  dialect: Pick<Dialect, 'mayBeIn'>,
  { cwd, ignoresProject }: Pick<HookSite, 'cwd' | 'ignoresProject'>,
): HookSource[] {
  const saysWhere = !dialect.mayBeIn(cwd, () => false);
  return authorities.filter(
    (source) =>
      (source !== 'project' || ignoresProject !== true) &&
      (saysWhere ? dialect.mayBeIn(cwd, (of) => of === source) : source !== 'system'),
  );
}
