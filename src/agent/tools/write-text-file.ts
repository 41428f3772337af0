import { stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../make-folder.ts';
import type { ToolResult } from '../../protocol/tool-result.ts';
import type { Place } from './paths.ts';
import { noText } from './text-file.ts';

export type Written =
  | { readonly kind: 'created' | 'overwritten' }
  | { readonly kind: 'refused'; readonly result: ToolResult };

/** Writes a file and the folders that it needs. Writes only to plain files: writing to a FIFO would hang. */
export async function writeTextFile(place: Place, content: string): Promise<Written> {
  const existing = await kindOf(place.path);
  if (existing === 'folder' || existing === 'special') {
    return { kind: 'refused', result: noText(existing, place) };
  }
  makeFolder(dirname(place.path));
  await writeFile(place.path, content);
  return { kind: existing === 'file' ? 'overwritten' : 'created' };
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'special' | undefined> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : 'special';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
