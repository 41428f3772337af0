import { lstatSync, realpathSync, statSync } from 'node:fs';
import { digestFile, type FileDigest } from './digest-file.ts';
import { each } from './once.ts';

/** A file behind a hook's command. */
export interface ScriptFile {
  /** As the project sees it, such as `.llxprt/check.sh`. */
  readonly path: string;
  /** Where its links lead. */
  readonly realPath: string;
  readonly size: number;
  /** Of its contents; '' when it cannot be read. */
  readonly sha256: string;
}

/** Takes what a file holds, so that it can be shown when the file has changed. */
export type KeepText = (digest: FileDigest) => void;

/** A file as it is now; undefined when none is there. */
export async function scriptFile(
  path: string,
  shown: string,
  keep?: KeepText,
  once = each,
): Promise<ScriptFile | undefined> {
  const realPath = realOf(path);
  if (realPath === undefined || !isFile(realPath)) return undefined;
  try {
    const digest = await once(`file ${realPath}`, () => digestFile(realPath, longestKept));
    if (digest === undefined) return undefined;
    keep?.(digest);
    return { path: shown, realPath, size: digest.size, sha256: digest.sha256 };
  } catch {
    return { path: shown, realPath, size: 0, sha256: '' };
  }
}

const longestKept = 256 * 1024;

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether anything has this name, be it a link that leads nowhere. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Where the links of a path lead; undefined when nothing is there. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
