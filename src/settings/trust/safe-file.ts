import { lstatSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';

/** A reason why others could change what a file says. */
export interface FileFault {
  /** Continues "the file …". */
  readonly message: string;
  readonly fix: string;
}

const mostLinks = 40;

/**
 * Checks who may write a file. It is at fault if its owner, or the owner of its folder or of a folder or link
 * on the way to it, is neither this user nor root, or if others may write there. Returns undefined if nothing
 * is wrong, or if the file does not exist in a folder that is safe. A folder like `/tmp`, where everybody may
 * create files but nobody may remove another user's (the sticky bit), is good enough on the way to the file,
 * but not as its own folder.
 */
export function fileFault(path: string): FileFault | undefined {
  if (process.getuid === undefined) return undefined;
  const file = resolve(path);
  return faultOnWay(file, 0);
}

/** Checks each part of the path as it is written, and where a link leads. */
function faultOnWay(path: string, links: number): FileFault | undefined {
  if (links > mostLinks)
    return { message: 'is reached through too many links', fix: 'name the file itself' };
  const { root } = parse(path);
  const parts = path
    .slice(root.length)
    .split(sep)
    .filter((part) => part !== '');
  let at = root;
  let folder = faultOf(root, statSync(root), false);
  if (folder) return folder;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    let stats: Stats | undefined;
    try {
      stats = lstatSync(at, { throwIfNoEntry: false });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOTDIR') return undefined;
      return {
        message: `cannot be reached: ${at} (${code})`,
        fix: 'give this user read permission',
      };
    }
    if (stats === undefined) return undefined;
    if (stats.isSymbolicLink()) {
      folder = ownerFault(at, stats);
      if (folder) return folder;
      const rest = parts.slice(index + 1);
      return faultOnWay(resolve(dirname(at), readlinkSync(at), ...rest), links + 1);
    }
    const isLastFolder = index >= parts.length - 2;
    folder = faultOf(at, stats, isLastFolder);
    if (folder) return folder;
  }
  return undefined;
}

const worldOrGroup = 0o022;
const sticky = 0o1000;

function faultOf(path: string, stats: Stats, isStrict: boolean): FileFault | undefined {
  const owner = ownerFault(path, stats);
  if (owner) return owner;
  if ((stats.mode & worldOrGroup) === 0) return undefined;
  if (stats.isDirectory() && (stats.mode & sticky) !== 0 && !isStrict) return undefined;
  return {
    message: `can be written by others (${path})`,
    fix: `check what it says, then remove that permission: chmod go-w ${JSON.stringify(path)}`,
  };
}

function ownerFault(path: string, { uid }: Stats): FileFault | undefined {
  const user = process.getuid!();
  if (uid === user || uid === 0) return undefined;
  return {
    message: `belongs to another user (uid ${uid} owns ${path})`,
    fix: `give it to this user: chown ${user} ${JSON.stringify(path)}`,
  };
}
