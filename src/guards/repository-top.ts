import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the folder of the repository that a folder is in. */
export function topOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : topOf(above);
}
