import { existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isMissing } from '../../base/errors.ts';
import { authorities, type HookSource } from '../../core/protocol/events.ts';
import type { SettingsProblem } from '../../core/definitions/problem.ts';
import type { BundlePlace, SettingsOwner } from '../../core/definitions/settings.ts';
import { environment, userHome } from '../../base/surroundings.ts';

const isMac = process.platform === 'darwin';

/**
 * Where administrators keep settings. Tests pass another folder to the readers; no environment variable can
 * change it.
 */
const administration = isMac ? '/Library/Application Support' : '/etc';

/** The folder of each owner in a project and at home, and its folder for administrators. */
const owners = {
  hookmachine: { folder: '.hookmachine', system: 'hookmachine' },
  llxprt: { folder: '.llxprt', system: isMac ? 'LLxprt-Code' : 'llxprt-code' },
} as const satisfies Readonly<Record<SettingsOwner, object>>;

/** A settings file, whether or not it exists. */
export interface SettingsPlace {
  readonly source: 'project' | 'user' | 'system';
  readonly owner: SettingsOwner;
  readonly file: string;
}

/** Whether this machine has any administrator's settings, whatever they say, or a broken link in their place. */
export const hasAdministrator = (): boolean =>
  Object.values(owners).some(
    ({ system }) =>
      lstatSync(join(administration, system), { throwIfNoEntry: false }) !== undefined,
  );

/** The folder of an administrator's additional settings files. */
export const systemFilesFolder = (systemFolder = administration): string =>
  join(systemFolder, owners.hookmachine.system, 'settings.d');

/**
 * The folders of agents that are not ours, each agent in a folder of its own. Where there are administrator's
 * settings only the administrator's count: an agent's code runs in one process with the guards.
 */
export function agentsFolders(): {
  readonly counts: string | undefined;
  readonly ignored: string | undefined;
} {
  const user = inFolder(inFolder(homeFolder(), owners.hookmachine.folder), 'agents');
  return hasAdministrator()
    ? { counts: join(administration, owners.hookmachine.system, 'agents'), ignored: user }
    : { counts: user, ignored: undefined };
}

/** Returns the places of bundles, whether or not there are any. */
export function bundlePlaces(systemFolder = administration): BundlePlace[] {
  const system = bundlesIn('system', join(systemFolder, owners.hookmachine.system));
  const root = inFolder(homeFolder(), owners.hookmachine.folder);
  return root === undefined ? [system] : [bundlesIn('user', root, system.trusts), system];
}

/**
 * Returns the place of a fleet's bundles, which were copied from its database into this folder. Only the
 * administrator's signers count.
 */
export function fleetPlace(folder: string, systemFolder = administration): BundlePlace {
  const { source, signers, trusts } = bundlesIn(
    'system',
    join(systemFolder, owners.hookmachine.system),
  );
  return { source, folder, index: join(folder, 'installed.json'), signers, trusts, isFleets: true };
}

/**
 * Whether bundles were installed there: a list that was removed does not take the guards with it as long as
 * their folders are there.
 */
export function holdsBundles({ folder, index }: Pick<BundlePlace, 'folder' | 'index'>): boolean {
  try {
    return (
      lstatSync(index, { throwIfNoEntry: false }) !== undefined ||
      readdirSync(folder).some((name) => !name.startsWith('.'))
    );
  } catch (error) {
    // A folder that cannot be read may hold any, and so may one that a broken link stands for.
    return !isMissing(error) || isBrokenLink(folder);
  }
}

/** Whether a link that leads nowhere has this path. */
export function isBrokenLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && !existsSync(path);
  } catch {
    return false;
  }
}

function bundlesIn(
  source: BundlePlace['source'],
  root: string,
  others: readonly string[] = [],
): BundlePlace {
  const folder = join(root, 'bundles');
  const signers = join(root, 'allowed_signers');
  return {
    source,
    folder,
    index: join(folder, 'installed.json'),
    signers,
    trusts: [signers, ...others],
  };
}

const inFolder = (folder: string | undefined, name: string): string | undefined =>
  folder && join(folder, name);

/** Returns the settings files of the project, the user and the system. */
export function settingsPlaces(cwd: string, systemFolder = administration): SettingsPlace[] {
  const home = homeFolder();
  const folders = [
    ['project', cwd],
    ['user', home],
    ['system', systemFolder],
  ] as const;
  return folders.flatMap(([source, folder]) =>
    folder === undefined
      ? []
      : Object.entries(owners).flatMap(([owner, names]) => {
          const isSystems = source === 'system';
          const own = join(folder, isSystems ? names.system : names.folder, 'settings.json');
          const more = isSystems && owner === 'hookmachine' ? systemFiles(folder) : [];
          return [own, ...more].map((file) => ({ source, owner: owner as SettingsOwner, file }));
        }),
  );
}

/**
 * Returns the files of an administrator's folder in the order of their names. A folder that cannot be listed
 * is returned in their place: it cannot be read as a file either, and so denies.
 */
function systemFiles(systemFolder: string): string[] {
  const folder = systemFilesFolder(systemFolder);
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .toSorted()
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return [folder];
    const isLink = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
    return isLink ? [folder] : [];
  }
}

/** Where the user's trust in projects is recorded, out of reach of any project's settings. */
export const trustFile = (): string | undefined =>
  inFolder(inFolder(homeFolder(), owners.hookmachine.folder), 'trust.json');

/** Where a user's extensions are installed, each in its own folder. */
export const extensionsFolder = (): string | undefined => inHome('extensions');

/** Returns the files that LLxprt's environment variables name. They may add hooks and nothing else. */
export const environmentSettings = (): { variable: string; file: string }[] =>
  ['LLXPRT_SYSTEM_SETTINGS_PATH', 'LLXPRT_CODE_SYSTEM_SETTINGS_PATH'].flatMap((variable) => {
    const file = environment()[variable];
    return file ? [{ variable, file }] : [];
  });

const inHome = (name: string): string | undefined =>
  inFolder(homeFolder(), join(owners.llxprt.folder, name));

/**
 * Returns the home folder; undefined for a user without one, because an empty or relative HOME would lead
 * into the project.
 */
export function homeFolder(): string | undefined {
  let home: string;
  try {
    home = userHome();
  } catch {
    return undefined;
  }
  return isAbsolute(home) ? home : undefined;
}

/** Resolves the links of a path; returns the path itself if that fails. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/**
 * Whether one source's settings apply to another's hooks: they apply to its own and to those of weaker
 * sources.
 */
export const reaches = (source: HookSource, hooksOf: HookSource): boolean =>
  authorities.indexOf(source) <= authorities.indexOf(hooksOf);

/** Returns why a file that the environment names is ignored; undefined if it may add hooks. */
export function environmentFileFault(variable: string, file: string): SettingsProblem | undefined {
  const fault = (message: string, fix: string): SettingsProblem => ({
    file,
    place: '',
    message: `${message}, so this file, which ${variable} names, was ignored`,
    fix,
  });
  if (!isAbsolute(file))
    return fault('is a relative path', `set ${variable} to the absolute path of the file`);
  let stats: Stats | undefined;
  try {
    stats = statSync(file, { throwIfNoEntry: false });
  } catch {
    // The reader reports why it cannot be read.
  }
  if (stats === undefined || !stats.isFile()) return undefined;
  if ((stats.mode & 0o022) !== 0)
    return fault('can be written by others', 'check it, then remove that permission (chmod go-w)');
  const own = process.getuid?.();
  if (own !== undefined && stats.uid !== own && stats.uid !== 0)
    return fault('belongs to another user', 'check it, then make it your own (chown)');
  return undefined;
}

/**
 * Returns one of our folders in `$XDG_STATE_HOME` or its default location; undefined for a user without a
 * home.
 */
export function stateFolder(name: string): string | undefined {
  const given = environment()['XDG_STATE_HOME'];
  const home = homeFolder();
  const state =
    given !== undefined && isAbsolute(given) ? given : home && join(home, '.local', 'state');
  return state && join(state, 'hookmachine', name);
}
