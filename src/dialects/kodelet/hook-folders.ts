import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { HookSource } from '../../protocol/events.ts';
import { homeFolder } from '../../settings/levels.ts';

/** A folder of hooks that is there. */
export interface HookFolder {
  readonly source: HookSource;
  readonly folder: string;
  /** In front of the names of its hooks: `org/repo/` for those of a plugin. */
  readonly prefix: string;
}

/** The folders of hooks that there are, the stronger first: the project's own, those of its plugins, then the user's. */
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

/** What is in a folder of plugins, in the order of their names; undefined is the folder itself, which cannot be read, so that it is reported. */
function pluginsIn(folder: string): (string | undefined)[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    return isMissing(error) ? [] : [undefined];
  }
}

/** Where a folder's hooks really are; undefined when it has none. One that cannot be looked at counts, so that it is reported. */
function realFolder(hooks: string): string | undefined {
  try {
    return realpathSync(hooks);
  } catch (error) {
    return isMissing(error) ? undefined : hooks;
  }
}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** What a hook is started with for an event. */
export const runArgs: readonly string[] = ['run'];
