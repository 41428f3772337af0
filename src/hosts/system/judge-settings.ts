import type { Dialect } from '../../core/dialects/dialect.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import type {
  HookExtension,
  SettingsNote,
  SettingsOwner,
} from '../../core/definitions/settings.ts';
import { authorities, type HookSource } from '../../core/protocol/events.ts';
import { realPath, settingsPlaces } from '../../settings/files/levels.ts';
import { blocksByDefault, type LoadedSettings } from '../../settings/files/load-settings.ts';
import {
  hasHooks,
  offNote,
  takenNote,
  untrustedNote,
  waitsForSwitch,
} from '../../settings/files/settings-notes.ts';
import { isSwitchedOn, offFor } from '../../settings/files/switches.ts';

/** The session that settings are evaluated for. */
interface JudgedSession {
  readonly cwd: string;
  readonly dialects: readonly Dialect[];
  readonly enableHooks?: false | 'system' | undefined;
  readonly extensions?: readonly HookExtension[] | undefined;
  /** What a user should do about a project that is not trusted. */
  readonly trustHint?: string | undefined;
  readonly isTrusted: () => boolean;
}

/** What settings mean for a session. */
export interface JudgedSettings extends LoadedSettings {
  /** The dialects that the settings were evaluated for. */
  readonly dialects: readonly Dialect[];
  readonly isOn: boolean;
  readonly isSourceOn: IsSourceOn;
  readonly isTrusted: () => boolean;
  /** Why events are denied: guards that are unknown, or an administrator's demand that is not met. */
  readonly denying: readonly SettingsProblem[];
  readonly unreadProblems: readonly SettingsProblem[];
  /** The note about the project's hooks when nobody trusts them; undefined if there are none. */
  readonly untrustedHooks: () => SettingsNote | undefined;
  readonly notes: () => readonly SettingsNote[];
}

type IsSourceOn = (source: HookSource, needsSwitch: boolean) => boolean;

/** Evaluates settings for a session. */
export function judgeSettings(settings: LoadedSettings, session: JudgedSession): JudgedSettings {
  const { switches, managed } = settings;
  const { dialects, enableHooks, isTrusted } = session;
  const areOnlySystems = enableHooks === 'system' || managed.onlyManagedHooks !== undefined;
  const mayRun = (source: HookSource): boolean => !areOnlySystems || source === 'system';
  const isSourceOn: IsSourceOn = (source, needsSwitch) =>
    mayRun(source) && isSwitchedOn(switches, source, needsSwitch);
  const unknown = settings.unknown.filter(
    (file) =>
      mayRun(file.source) && offFor(switches, file.source, waitsForSwitch(file)) === undefined,
  );
  const denying = enableHooks === false ? [] : reasonsToDeny(settings, unknown);
  const unread = unknown.filter(({ isUnread }) => isUnread);
  const untrustedHooks = (): SettingsNote | undefined => noteOnTrust(settings, session, mayRun);
  return {
    ...settings,
    dialects,
    isOn:
      enableHooks !== false &&
      // What a file that cannot be read contains is unknown: it is tried again at each event.
      (denying.length > 0 ||
        unread.length > 0 ||
        managed.audit !== undefined ||
        mayHaveHooks(settings, session, isSourceOn)),
    isSourceOn,
    isTrusted,
    denying,
    unreadProblems: unread.map(({ problem }) => problem),
    untrustedHooks,
    notes: () =>
      [
        untrustedHooks(),
        takenNote(settings, (source) => mayBeIn(session, source)),
        dialects.some((dialect) => dialect.needsSwitch) && !areOnlySystems
          ? offNote(settings, switchFile(session.cwd) ?? 'your settings.json')
          : undefined,
      ].filter((note) => note !== undefined),
  };
}

/** Returns what makes events be denied although no hook denies them. */
const reasonsToDeny = (
  { brokenSystem, managed, failureDefaults }: LoadedSettings,
  unknown: LoadedSettings['unknown'],
): SettingsProblem[] => [
  ...(brokenSystem ? [brokenSystem] : []),
  ...managed.unmet,
  ...unknown
    .filter(({ source }) => blocksByDefault(failureDefaults, source))
    .map(({ problem }) => problem),
];

/** Whether any of the dialects may have hooks that are on. */
function mayHaveHooks(
  settings: LoadedSettings,
  { cwd, dialects, extensions = [], isTrusted }: JudgedSession,
  isSourceOn: IsSourceOn,
): boolean {
  const { bundles, managed, sources, switches } = settings;
  // A level that is on only because another says so counts as on only if it has hooks.
  const canHaveHooks = (source: HookSource): boolean =>
    switches.some((level) => level.source === source && level.word === true) ||
    sources.some((from) => from.source === source && waitsForSwitch(from) && hasHooks(from)) ||
    (source === 'extension' && extensions.length > 0);
  const areSettingsOn = (): boolean =>
    settings.enabled === true &&
    authorities.some((source) => isSourceOn(source, true) && canHaveHooks(source));
  const hasOwn = (owner: SettingsOwner): boolean =>
    sources.some(
      (from) => from.owner === owner && hasHooks(from) && isSourceOn(from.source, false),
    );
  const hasBundles = (): boolean =>
    managed.bundles.length > 0 || bundles.some(({ source }) => isSourceOn(source, false));
  const areThere = (source: HookSource): boolean =>
    isSourceOn(source, false) && (source !== 'project' || isTrusted());
  return dialects.some((dialect) => {
    if (dialect.needsSwitch) return areSettingsOn();
    return dialect.settings
      ? hasOwn(dialect.settings) || (isOurs(dialect) && hasBundles())
      : dialect.mayBeIn(cwd, areThere);
  });
}

/** Returns the note about a project's hooks that nobody trusts; trust is asked about only if there are any. */
function noteOnTrust(
  { switches, untrusted }: LoadedSettings,
  { cwd, dialects, trustHint = 'trust it to have its hooks run', isTrusted }: JudgedSession,
  mayRun: (source: HookSource) => boolean,
): SettingsNote | undefined {
  if (!mayRun('project')) return undefined;
  const sights = dialects
    .filter((dialect) => offFor(switches, 'project', dialect.needsSwitch) === undefined)
    .flatMap((dialect) => {
      const own = untrusted.filter(({ owner }) => owner === dialect.settings);
      return [...own.map(({ sight }) => sight), dialect.atFirstSight?.(cwd) ?? []].flat();
    });
  return sights.length === 0 || isTrusted()
    ? undefined
    : untrustedNote(realPath(cwd), sights, trustHint);
}

const mayBeIn = ({ cwd, dialects }: JudgedSession, source: HookSource): boolean =>
  dialects.some((dialect) => !dialect.settings && dialect.mayBeIn(cwd, (of) => of === source));

/** Whether this is the dialect that bundles are written in. */
export const isOurs = ({ settings }: Dialect): boolean => settings === 'hookmachine';

/** The file in which a user switches on the dialects that need it. */
const switchFile = (cwd: string): string | undefined =>
  settingsPlaces(cwd).find((place) => place.source === 'user' && waitsForSwitch(place))?.file;
