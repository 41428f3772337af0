import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';

/** Rights that a file must have regardless of umask and user; an absent one is as for any new file. */
type FileRights = Partial<Pick<Stats, 'mode' | 'uid' | 'gid'>>;

/** Drafts have unique names, because one process may write several files at once, even in threads. */
const draftOf = (file: string): string => `${file}.${process.pid}-${crypto.randomUUID()}.tmp`;

/**
 * Writes a file in one step: every reader sees the old or the new content, even after a crash. A link is
 * replaced, not followed.
 *
 * @throws also if a device, a pipe or a folder has the name: root would replace even `/dev/null`
 */
export function writeAtomically(
  file: string,
  content: string | Uint8Array,
  rights: FileRights = {},
): void {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile() && !there.isSymbolicLink()) throw new Error(`${file} is not a file`);
  const draft = draftOf(file);
  try {
    writeDraft(draft, content, rights);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

function writeDraft(
  draft: string,
  content: string | Uint8Array,
  { mode, uid, gid }: FileRights,
): void {
  const descriptor = openSync(draft, 'wx', mode);
  try {
    writeFileSync(descriptor, content);
    // A file that root edits for a user still belongs to the user.
    if (process.getuid?.() === 0 && uid !== undefined && gid !== undefined)
      fchownSync(descriptor, uid, gid);
    if (mode !== undefined) fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Flushes a folder to disk; otherwise a power failure could bring the old file back. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The file is already in place; not every folder can be read, and not every file system can be synced.
  }
}
