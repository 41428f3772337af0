import { HookmachineError, isHookmachineError } from '../../base/errors.ts';
import { constants, copyFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAtomically } from '../../base/atomic-file.ts';
import { makeFolder } from '../../base/folders.ts';
import { realPath } from '../files/levels.ts';
import { withLock } from '../../base/file-lock.ts';
import { fileFault } from './safe-file.ts';
import {
  isFault,
  readTrustFile,
  trustFileVersion,
  type ProjectTrust,
  describeFault,
} from './read-trust.ts';

/** Thrown if nothing can be recorded; the trust file is then left as it is. */
export class TrustFileError extends HookmachineError {
  override readonly name = 'TrustFileError';
  constructor(message: string, options?: ErrorOptions) {
    super('TRUST_NOT_RECORDED', message, options);
  }
}

/**
 * Records what is trusted in one project, or removes the record. A corrupt file is kept next to the new one;
 * a newer or unreadable one is left alone. Returns where a corrupt file was kept.
 *
 * @throws {TrustFileError} if nothing could be recorded
 */
export function recordTrust(
  file: string,
  project: string,
  trust: ProjectTrust | undefined,
): { readonly backup?: string } {
  try {
    makeFolder(dirname(file), 0o700);
    const unsafe = fileFault(file);
    if (unsafe) throw new TrustFileError(`the trust file ${file} ${unsafe.message}; ${unsafe.fix}`);
    // A link into a folder of dotfiles stays a link.
    const target = realPath(file);
    return withLock(`${target}.lock`, () => {
      const read = readTrustFile(target);
      if (isFault(read) && !read.isCorrupt) throw new TrustFileError(describeFault(file, read));
      const projects = new Map(isFault(read) ? [] : read);
      if (trust) projects.set(project, trust);
      else projects.delete(project);
      const backup = isFault(read) ? keep(target) : undefined;
      const content = { version: trustFileVersion, projects: Object.fromEntries(projects) };
      writeAtomically(target, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
      return backup === undefined ? {} : { backup };
    });
  } catch (error) {
    if (isHookmachineError(error, 'TRUST_NOT_RECORDED')) throw error;
    throw new TrustFileError(`trust cannot be recorded in ${file}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function keep(file: string): string {
  for (let count = 0; ; count++) {
    const backup = `${file}.bak${count === 0 ? '' : count}`;
    try {
      copyFileSync(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
