import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter as betweenFolders, isAbsolute, join, sep } from 'node:path';
import { currentFolder, environment, userHome } from './surroundings.ts';

/** The folders of the PATH; relative ones would let a project folder supply its own programs. */
const pathFolders = (): string[] =>
  (environment()['PATH'] ?? '').split(betweenFolders).filter((folder) => isAbsolute(folder));

/** The file of a program on the PATH, or undefined. */
export const findProgram = (name: string, folders = pathFolders()): string | undefined =>
  folders.map((folder) => join(folder, name)).find(isExecutable);

/**
 * The folders of the PATH in which we look up programs that we start ourselves: a project must not supply
 * them, neither from its own folders nor from those of its packages.
 */
export function ownFolders(): string[] {
  const project = whatever(() => realpathSync(currentFolder()));
  const home = whatever(() => realpathSync(userHome()));
  // Somebody who works in their home folder still has their own programs there.
  const isHome = project !== undefined && home !== undefined && isWithin(project, home);
  const isProjects = (folder: string): boolean =>
    /[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder) ||
    (project !== undefined &&
      !isHome &&
      isWithin(project, whatever(() => realpathSync(folder)) ?? folder));
  return pathFolders().filter((folder) => !isProjects(folder));
}

const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

function whatever<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** Whether this is a file that may be executed. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
