import { isUtf8 } from 'node:buffer';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import { errorResult, type ToolResult } from '../../core/protocol/tool-result.ts';
import type { Place } from './paths.ts';

/** The size limit of a file that is read into memory, in bytes. */
const sizeLimit = 20 * 1024 * 1024;

/** A file with a NUL within this many bytes is binary, as in git. */
const binaryProbe = 8000;

export type TextFile =
  /** `exact` means that the bytes were UTF-8, so that writing the text back loses nothing. */
  | { readonly kind: 'text'; readonly text: string; readonly exact: boolean }
  | { readonly kind: 'folder' | 'special' | 'binary' | 'tooLarge' };

/** Reads a file as text. Reads only plain files: reading a FIFO would hang. */
export async function readTextFile(path: string): Promise<TextFile> {
  const stats = await stat(path);
  if (stats.isDirectory()) return { kind: 'folder' };
  if (!stats.isFile()) return { kind: 'special' };
  if (stats.size > sizeLimit) return { kind: 'tooLarge' };
  const bytes = await readFile(path);
  if (bytes.subarray(0, binaryProbe).includes(0)) return { kind: 'binary' };
  return { kind: 'text', text: bytes.toString('utf8'), exact: isUtf8(bytes) };
}

/** The result for the model when a file has no text. */
export function noText(kind: Exclude<TextFile['kind'], 'text'>, { name }: Place): ToolResult {
  switch (kind) {
    case 'folder':
      return errorResult(
        `${name} is a folder. Give the path of a file; list_directory shows what is in a folder.`,
        'target_is_directory',
      );
    case 'special':
      return errorResult(
        `${name} is not a regular file (it is a device, pipe or socket). Give the path of a regular file.`,
        'not_a_file',
      );
    case 'binary':
      return errorResult(
        `${name} is a binary file. Use run_shell_command with a program that knows its format.`,
        'binary_file',
      );
    case 'tooLarge':
      return errorResult(
        `${name} is larger than ${sizeLimit / 1024 / 1024} MB. Use run_shell_command to take a part of it (sed -n, head, tail).`,
        'file_too_large',
      );
  }
}

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
