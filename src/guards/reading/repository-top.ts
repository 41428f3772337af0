import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { foldersAbove } from '../../base/folders-above.ts';

/** Returns the folder of the repository that a folder is in. */
export const topOf = (folder: string): string | undefined =>
  foldersAbove(folder).find((above) => existsSync(join(above, '.git')));
