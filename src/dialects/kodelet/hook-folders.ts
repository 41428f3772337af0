import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { HookSource } from '../../protocol/events.ts';
import { homeFolder } from '../../settings/levels.ts';

/** The folders of hooks that there are, the stronger first. */
export function hookFolders(cwd: string): { source: HookSource; folder: string }[] {
  const home = homeFolder();
  const project = realFolder(cwd);
  const user = home === undefined ? undefined : realFolder(home);
  return [
    // In the home folder the project's hooks are the user's.
    ...(project !== undefined && project !== user
      ? [{ source: 'project', folder: join(cwd, hooksFolder) } as const]
      : []),
    ...(user === undefined ? [] : [{ source: 'user', folder: join(home!, hooksFolder) } as const]),
  ];
}

const hooksFolder = join('.kodelet', 'hooks');

/** Where a folder's hooks really are; undefined when it has none. One that cannot be looked at counts, so that it is reported. */
function realFolder(folder: string): string | undefined {
  const hooks = join(folder, hooksFolder);
  try {
    return realpathSync(hooks);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['ENOENT', 'ENOTDIR'].includes(code) ? undefined : hooks;
  }
}
