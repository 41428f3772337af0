import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../../base/errors.ts';
import type { HookSource } from '../../core/protocol/events.ts';
import { homeFolder } from '../../settings/files/levels.ts';

/** A folder of hooks that exists. */
export interface HookFolder {
  readonly source: HookSource;
  readonly folder: string;
  /** The prefix of its hooks' names: `org/repo/` for those of a plugin. */
  readonly prefix: string;
}

/** Returns the existing hook folders, the strongest first: the project's, its plugins', then the user's. */
export function hookFolders(cwd: string): HookFolder[] {
  const home = homeFolder();
  const project = foldersBelow('project', cwd);
  const user = home === undefined ? [] : foldersBelow('user', home);
  const users = new Set(user.map(({ real }) => real));
  return [
    // In the home folder the project's hooks are the user's.
    ...project.filter(({ real }) => !users.has(real)),
    ...user,
  ].map(({ real: _, ...folder }) => folder);
}

interface FoundFolder extends HookFolder {
  readonly real: string;
}

function foldersBelow(source: HookSource, root: string): FoundFolder[] {
  const own = join(root, '.kodelet');
  const plugins = join(own, 'plugins');
  return [
    { source, folder: join(own, 'hooks'), prefix: '' },
    ...pluginsIn(plugins).map((name) =>
      name === undefined
        ? { source, folder: plugins, prefix: '' }
        : { source, folder: join(plugins, name, 'hooks'), prefix: `${name.replace('@', '/')}/` },
    ),
  ].flatMap((folder) => {
    const real = realFolder(folder.folder);
    return real === undefined ? [] : [{ ...folder, real }];
  });
}

/**
 * Lists a folder of plugins, sorted by name; undefined stands for the folder itself if it cannot be
 * read, so that it is reported.
 */
function pluginsIn(folder: string): (string | undefined)[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    return isMissing(error) ? [] : [undefined];
  }
}

/** Resolves a folder of hooks; undefined if it is missing. An unreadable one counts, so it is reported. */
function realFolder(hooks: string): string | undefined {
  try {
    return realpathSync(hooks);
  } catch (error) {
    return isMissing(error) ? undefined : hooks;
  }
}

/** The arguments with which a hook is started for an event. */
export const runArgs: readonly string[] = ['run'];

/** Kodelet's own limit for a run of a hook, in ms. */
export const runLimit = 30_000;
