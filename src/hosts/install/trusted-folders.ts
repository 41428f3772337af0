import { dirname, join } from 'node:path';
import type { InstallSite, OwnDoubt, Scope } from '../../core/dialects/installation.ts';
import { isRecord } from '../../base/json.ts';
import { valueIn } from './value-in.ts';

/**
 * Returns the doubts of a host that reads a project's settings only in folders that are listed in
 * `trustedFolders.json` of its folder at home, if the user wants that.
 */
export const folderDoubts =
  (folder: string, title: string) =>
  (scope: Scope, { cwd, home }: InstallSite): readonly OwnDoubt[] => {
    if (scope === 'user') return [];
    const file = join(home, folder, 'trustedFolders.json');
    const said = saidOf(valueIn(file), cwd);
    const settings = join(home, folder, 'settings.json');
    const isAsked = valueIn(settings, ['security', 'folderTrust', 'enabled']) === true;
    if (said === 'trusted' || (said === undefined && !isAsked)) return [];
    return [
      {
        code: 'folder-untrusted',
        file,
        message: `${title} does not trust ${cwd}, so it does not read the entries there`,
        fix: `trust the folder in ${title} (/permissions), or install the entries with --scope user`,
      },
    ];
  };

/** What the list says about a folder: itself, or the nearest one above it. */
function saidOf(list: unknown, cwd: string): 'trusted' | 'untrusted' | undefined {
  if (!isRecord(list)) return undefined;
  for (let at = cwd; ; at = dirname(at)) {
    if (list[at] === 'DO_NOT_TRUST') return 'untrusted';
    if (list[at] === 'TRUST_FOLDER' || list[at] === 'TRUST_PARENT') return 'trusted';
    // Its neighbours are trusted with a folder whose parent is.
    const isNeighbour = Object.entries(list).some(
      ([path, trust]) => trust === 'TRUST_PARENT' && dirname(path) === at,
    );
    if (isNeighbour) return 'trusted';
    if (at === dirname(at)) return undefined;
  }
}
