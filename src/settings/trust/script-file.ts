import { createHash } from 'node:crypto';
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { decidingPart } from './deciding-part.ts';
import { digestFile, type FileDigest } from './digest-file.ts';
import { each } from './once.ts';

/** A file behind a hook's command. */
export interface ScriptFile {
  /** As the project sees it, such as `.llxprt/check.sh`. */
  readonly path: string;
  /** The path after resolving links. */
  readonly realPath: string;
  readonly size: number;
  /** The hash of its content; '' if it cannot be read. */
  readonly sha256: string;
  /** It says what a program runs, and is an ordinary file of the project otherwise. */
  readonly isManifest?: true;
}

/** Receives a file's content, so that it can be shown if the file changes. */
export type KeepText = (digest: FileDigest) => void;

/** Returns a file as it is now; undefined if there is none. */
export async function scriptFile(
  path: string,
  shown: string,
  keep?: KeepText,
  once = each,
): Promise<ScriptFile | undefined> {
  const realPath = realOf(path);
  if (realPath === undefined || !isFile(realPath)) return undefined;
  try {
    const digest = await once(`file ${realPath}`, () => digestOf(path, realPath));
    if (digest === undefined) return undefined;
    keep?.(digest);
    return { path: shown, realPath, size: digest.size, sha256: digest.sha256 };
  } catch {
    return { path: shown, realPath, size: 0, sha256: '' };
  }
}

const longestKept = 256 * 1024;

/** Hashes a file, or the part of it that decides what is run. */
async function digestOf(path: string, realPath: string): Promise<FileDigest | undefined> {
  const partOf = decidingPart(path);
  if (partOf === undefined) return digestFile(realPath, longestKept);
  const whole = await digestFile(realPath, longestParsed);
  const part = whole?.bytes && partOf(whole.bytes.toString());
  if (whole === undefined || part === undefined) return whole;
  const bytes = Buffer.from(part);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...whole, sha256, bytes };
}

const longestParsed = 16 * 1024 * 1024;

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether anything has this name, even a link that leads nowhere. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Resolves the links of a path; returns undefined if nothing is there. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
