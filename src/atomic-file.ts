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

/** What a file is to have whatever the umask and the user say; what is absent is as for any new file. */
type FileRights = Partial<Pick<Stats, 'mode' | 'uid' | 'gid'>>;

/** Files that one process writes at the same time, in threads too, have drafts of their own. */
const draftOf = (file: string): string => `${file}.${process.pid}-${crypto.randomUUID()}.tmp`;

/**
 * Writes a file in one step: whoever reads it, and whatever crashes meanwhile, the old or the new
 * content is there. A link is replaced, not followed.
 *
 * @throws where a device, a pipe or a folder has the name, too: root would replace even `/dev/null`
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
    // What root edits for a user stays the user's.
    if (process.getuid?.() === 0 && uid !== undefined && gid !== undefined)
      fchownSync(descriptor, uid, gid);
    if (mode !== undefined) fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Else a power failure could bring the old file back. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The file is in its place; not every folder can be read, nor every file system synced.
  }
}
