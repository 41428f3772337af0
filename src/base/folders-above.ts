import { dirname } from 'node:path';

/** Returns a folder and those above it, up to the root. */
export function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}
