import { readdirSync } from 'node:fs';
import type { SettingsProblem } from './problem.ts';

/** The folders in a folder, by name; one that is not there holds none, and is no problem. */
export type ReadFolders = (folder: string) => {
  readonly names: readonly string[];
  readonly problems: readonly SettingsProblem[];
};

/** Lists folders for one session. One that cannot be read counts as it last was, as a settings file does. */
export function folderReader(): ReadFolders {
  const lastRead = new Map<string, readonly string[]>();
  return (folder) => {
    try {
      const names = readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map(({ name }) => name)
        .toSorted();
      lastRead.set(folder, names);
      return { names, problems: [] };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') {
        lastRead.delete(folder);
        return { names: [], problems: [] };
      }
      const names = lastRead.get(folder);
      const then = names ? 'it counts as it was before' : 'nothing in it counts';
      const problem = {
        file: folder,
        place: '',
        message: `cannot be read (${code ?? message}), so ${then}`,
        fix: 'let this user read it',
      };
      return { names: names ?? [], problems: [problem] };
    }
  };
}
