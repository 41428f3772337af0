import {
  accessSync,
  constants,
  lstatSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { withLock } from '../../base/file-lock.ts';
import { makeFolder } from '../../base/folders.ts';
import { writeAtomically } from '../../base/atomic-file.ts';
import { type BoundedFile, readBounded } from './read-bounded.ts';

/**
 * Reads a file that will be written back, byte order mark included. Returns undefined if there is no file,
 * and the reason if it must not be read.
 *
 * @throws {Error} if the file cannot be read, or could not be written back without loss
 */
export function readExactly(
  file: string,
): string | Extract<BoundedFile, { refused: unknown }> | undefined {
  try {
    const read = readBounded(file);
    if ('refused' in read) return read;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read.bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file's text, or removes the file if the new text is undefined, while no other process edits it.
 * It is replaced in one step, so that no reader ever sees half of it. Mode and owner are kept; a symbolic
 * link stays a link, and its target is replaced. Missing folders are created.
 */
export function editFile(file: string, newText: () => string | undefined): void {
  const target = linkTarget(file);
  makeFolder(dirname(target));
  withLock(`${target}.lock`, () => {
    const text = newText();
    if (text === undefined) return rmSync(file);
    const before = statSync(target, { throwIfNoEntry: false });
    if (before) accessSync(target, constants.W_OK);
    writeAtomically(target, text, before);
  });
}

/** Resolves a symbolic link, even to a file that does not exist yet. */
function linkTarget(file: string, steps = 0): string {
  try {
    return realpathSync(file);
  } catch (error) {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || steps > 40) throw error;
    return isLink ? linkTarget(resolve(dirname(file), readlinkSync(file)), steps + 1) : file;
  }
}
