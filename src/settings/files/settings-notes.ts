import type { HookSource } from '../../core/protocol/events.ts';
import { isRecord } from '../../base/json.ts';
import type { HooksFromSource } from '../../core/definitions/hooks-from-source.ts';
import { reserved } from '../format/settings-fields.ts';
import type { FirstSight, SettingsNote } from '../../core/definitions/settings.ts';
import type { LoadedSettings } from './load-settings.ts';
import { offFor } from './switches.ts';

/** Returns the one note for an untrusted project; undefined if nothing in it looks like hooks. */
export function untrustedNote(
  project: string,
  sights: readonly FirstSight[],
  fix: string,
): SettingsNote | undefined {
  const fault = sights.flatMap((sight) => ('fault' in sight ? [sight.fault] : []))[0];
  const hasHooks = sights.some((sight) => 'hasHooks' in sight && sight.hasHooks);
  if (!hasHooks && fault === undefined) return undefined;
  const message = hasHooks
    ? 'the hooks of this project are not trusted, so they were skipped'
    : `the hooks of this project are not trusted, so they were skipped; ${fault}`;
  return { kind: 'untrusted', problem: { file: project, place: '', message, fix } };
}

/**
 * Returns the note about hooks of the user, the project and extensions that the administrator's switch takes
 * away.
 */
export function takenNote(
  settings: LoadedSettings,
  hasOthers: (source: HookSource) => boolean,
): SettingsNote | undefined {
  const { switches, sources, managed } = settings;
  const { onlyManagedHooks } = managed;
  const system =
    onlyManagedHooks === undefined
      ? (offFor(switches, 'system', false) ?? offFor(switches, 'system', true))
      : { file: onlyManagedHooks, offAt: 'managed.onlyManagedHooks', endsAll: true };
  if (system?.offAt === undefined) return undefined;
  const files = sources
    .filter((from) => from.source !== 'system' && hasHooks(from))
    .filter((from) => system.endsAll || waitsForSwitch(from))
    .map(({ file, source }) => file ?? `the ${source}`);
  const bundles = system.endsAll
    ? settings.bundles.filter(({ source }) => source !== 'system').map(({ folder }) => folder)
    : [];
  const others =
    system.endsAll && (['user', 'project'] as const).some(hasOthers) ? ['hook folders'] : [];
  const taken = [...new Set([...files, ...bundles, ...others])];
  if (taken.length === 0) return undefined;
  return {
    kind: 'taken',
    problem: {
      ...(system.file !== undefined && { file: system.file }),
      place: system.offAt,
      message: `is ${onlyManagedHooks === undefined ? 'false' : 'true'}, so the hooks of ${taken.join(' and ')} are switched off`,
      fix: 'only an administrator can change that',
      code: 'off',
    },
  };
}

/** Returns the note about hooks in settings that no level switches on or off. */
export function offNote(
  { switches, sources }: LoadedSettings,
  fix: string,
): SettingsNote | undefined {
  if (switches.some(({ word }) => word === true)) return undefined;
  const waiting = sources.filter(
    (from) =>
      waitsForSwitch(from) && hasHooks(from) && offFor(switches, from.source, true) === undefined,
  );
  const [first] = waiting;
  if (first === undefined) return undefined;
  const files = [...new Set(waiting.map(({ file }) => file))].slice(1);
  const others = files.length > 0 ? `, nor do those of ${files.join(' and ')}` : '';
  const own = first.source !== 'extension' && first.isAdded !== true ? first.file : undefined;
  return {
    kind: 'off',
    problem: {
      ...(first.file !== undefined && { file: first.file }),
      place: 'hooks',
      message: `these hooks do not run, because nothing switches hooks on${others}`,
      fix: `set "tools": { "enableHooks": true } in ${own ?? fix}`,
      code: 'off',
    },
  };
}

/** Whether these hooks run only if settings switch them on. */
export const waitsForSwitch = ({ owner }: Pick<HooksFromSource, 'owner'>): boolean =>
  owner !== 'hookmachine';

/** Whether the `hooks` key holds anything besides mere settings, even if nobody can read it. */
export const hasHooks = ({ hooks, guards, budget }: HooksFromSource): boolean =>
  (budget !== undefined && budget !== null) ||
  (guards !== undefined && guards !== null) ||
  (isRecord(hooks)
    ? Object.entries(hooks).some(
        ([event, groups]) =>
          !reserved.includes(event) && !(Array.isArray(groups) && groups.length === 0),
      )
    : hooks !== undefined && hooks !== null);
