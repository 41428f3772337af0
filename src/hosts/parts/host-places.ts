import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { HookSource } from '../../core/protocol/events.ts';
import { homeFolder, realPath } from '../../settings/files/levels.ts';
import { isThere, settingsAtFirstSight } from '../../settings/files/read-files.ts';
import type { InstallSite } from '../../core/dialects/installation.ts';
import type { FirstSight } from '../../core/definitions/settings.ts';
import { environment } from '../../base/surroundings.ts';

/** A settings file of a host that may exist. */
export interface HostPlace {
  readonly source: HookSource;
  readonly file: string;
  /** Set for a folder whose files could not all be listed. */
  readonly fault?: PlaceFault;
}

interface PlaceFault {
  readonly message: string;
  /** The consequence, for the message. */
  readonly fate: string;
  readonly fix: string;
}

/** Lists a folder, sorted by name; a folder that does not exist is empty. */
export function entriesIn(folder: string): readonly Dirent[] | { readonly fault: PlaceFault } {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((one, other) =>
      one.name < other.name ? -1 : 1,
    );
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isThere(folder)) return [];
    return {
      fault: {
        message: `cannot be read (${code ?? message})`,
        fate: 'nothing in it counts',
        fix: 'make it a folder that this user may read',
      },
    };
  }
}

/** Where a host keeps a user's folder: at home under this name, or where this variable says. */
export interface UserFolder {
  readonly folder: string;
  readonly variable: string;
}

/** Returns that folder: the one of the user for whom something is installed, or of the current user. */
export function userFolder(of: UserFolder, site: Pick<InstallSite, 'home' | 'env'>): string;
export function userFolder(of: UserFolder): string | undefined;
export function userFolder(
  { folder, variable }: UserFolder,
  site?: Pick<InstallSite, 'home' | 'env'>,
): string | undefined {
  const { home, env } = site ?? { home: homeFolder(), env: environment() };
  const named = env[variable];
  return named !== undefined && isAbsolute(named) ? named : home && join(home, folder);
}

/** Where a host keeps its hooks if it has a folder of its own in projects and at home. */
export interface HostFolder {
  /** The folder's name. */
  readonly folder: string;
  /** The administrator's settings. */
  readonly system: string;
  /** The variable that names a file to use instead of those; such a file may only add hooks. */
  readonly systemVariable: string;
  /** The file, below the folder of an extension, that holds hooks. */
  readonly hooksIn: string;
}

/** The manifest of a host's extension, and the file that says where an extension came from. */
export const extensionFiles = ({ folder }: HostFolder) => ({
  manifest: `${folder.slice(1)}-extension.json`,
  install: `${folder}-extension-install.json`,
});

/** Returns the settings files that count for a project, whether or not they exist. */
export const hostSettings = (cwd: string, { folder, system }: HostFolder): HostPlace[] =>
  settingsOf(cwd, folder, system);

/** Returns the folder in which the user's extensions are installed. */
export function extensionsFolder({ folder }: HostFolder): string | undefined {
  const home = homeFolder();
  return home && join(home, folder, 'extensions');
}

/** Where the hooks of such a host are, before anything of it is loaded. */
export const inFolder = (host: HostFolder) => ({
  guarded: ['settings.json', 'trusted*.json', '.env', 'hooks/', 'extensions/'].map(
    (path) => `${host.folder}/${path}`,
  ),
  mayBeIn: (cwd: string, counts?: (source: HookSource) => boolean) =>
    mayBeInHost(host, cwd, counts),
  atFirstSight: (cwd: string) => projectSight(hostSettings(cwd, host)),
});

/** Whether a host seems to have hooks in sources that count. */
function mayBeInHost(
  host: HostFolder,
  cwd: string,
  counts: (source: HookSource) => boolean = () => true,
): boolean {
  const added = environment()[host.systemVariable];
  const extensions = extensionsFolder(host);
  return (
    mayHoldHooks(hostSettings(cwd, host), counts) ||
    (added !== undefined && counts('system') && existsSync(added)) ||
    (extensions !== undefined &&
      counts('extension') &&
      mayHoldExtensions(extensions, [host.hooksIn, extensionFiles(host).install]))
  );
}

/**
 * Returns the `settings.json` of the administrator, the user and the project, the strongest first, for a
 * host that keeps the latter two in a folder of this name. In the home folder the project's settings are
 * the user's.
 */
function settingsOf(cwd: string, folder: string, system: string): HostPlace[] {
  const home = homeFolder();
  const user = home && join(home, folder);
  const own = join(cwd, folder);
  const isUsers = user !== undefined && realPath(user) === realPath(own);
  return [
    { source: 'system', file: system },
    ...(user === undefined ? [] : [{ source: 'user', file: join(user, 'settings.json') } as const]),
    ...(isUsers ? [] : [{ source: 'project', file: join(own, 'settings.json') } as const]),
  ];
}

/** The list of a user's plugins, which have hooks in files of their own; `sign` occurs if it names any. */
export interface PluginList {
  readonly file: string | undefined;
  readonly sign: string;
}

/** Whether any of these files seems to hold hooks in sources that count, or this list names any plugins. */
export const mayHoldHooks = (
  places: readonly HostPlace[],
  counts: (source: HookSource) => boolean,
  plugins?: PluginList,
): boolean =>
  places.some(
    (place) =>
      counts(place.source) &&
      // A broken file of the administrator shows no hooks, but it denies.
      (place.source === 'system' ? isThere(place.file) : mayHold(sightOf(place))),
  ) ||
  (plugins?.file !== undefined &&
    counts('extension') &&
    mayHold(settingsAtFirstSight(plugins.file, [plugins.sign])));

/** Whether any extension in a folder has one of these files, each of which may hold or lead to hooks. */
function mayHoldExtensions(folder: string, files: readonly string[]): boolean {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return false;
  }
  return names.some((name) => files.some((file) => existsSync(join(folder, name, file))));
}

/** Whether there may be hooks, as far as a first look shows. */
export const mayHold = (sight: FirstSight): boolean => 'fault' in sight || sight.hasHooks;

const sightOf = ({ file, fault }: HostPlace, signs?: readonly string[]): FirstSight =>
  fault ? { fault: `${file} ${fault.message}` } : settingsAtFirstSight(file, signs);

/** What a first look at the project's files shows; undefined if none of them has any hooks. */
export function projectSight(
  places: readonly HostPlace[],
  signs?: readonly string[],
): FirstSight | undefined {
  const sights = places
    .filter(({ source }) => source === 'project')
    .map((place) => sightOf(place, signs));
  return sights.find((sight) => 'fault' in sight) ?? sights.find(mayHold);
}
