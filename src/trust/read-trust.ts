import { readFileSync, statSync } from 'node:fs';
import { isRecord } from '../protocol/output.ts';
import type { HookFingerprint } from './fingerprint.ts';
import type { ScriptFile } from './script-files.ts';

/** What the user trusts in one project. */
export interface ProjectTrust {
  readonly trustedAt: string;
  readonly hooks: readonly HookFingerprint[];
}

/** All projects that the user trusts, by their real paths. */
export type TrustedProjects = ReadonlyMap<string, ProjectTrust>;

/** Nothing in the file counts. */
export interface TrustFileFault {
  /** Continues "the trust file …". */
  readonly message: string;
  readonly mend: string;
  /** Nothing is lost when another takes its place. */
  readonly isCorrupt: boolean;
}

/** The form of the file; a file of a later one is not for us. */
export const trustFileVersion = 1;

/** Reads the trust file; one that is not there trusts nothing, and is no fault. */
export function readTrustFile(file: string): TrustedProjects | TrustFileFault {
  let text: string;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return new Map();
    if (!stats.isFile()) return fault('is not a file', 'move it away');
    if ((stats.mode & 0o022) !== 0)
      return fault('can be written by others', 'look at it, and take that right away (chmod go-w)');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return new Map();
    return fault(`cannot be read (${code ?? message})`, 'let this user read it');
  }
  return remembered?.text === text
    ? remembered.projects
    : (remembered = { text, projects: parse(text) }).projects;
}

/** The file is read for each hook that starts, and hardly ever changes. */
let remembered: { text: string; projects: TrustedProjects | TrustFileFault } | undefined;

function parse(text: string): TrustedProjects | TrustFileFault {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return corrupt;
  }
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > trustFileVersion)
    return fault(
      `was written by a newer hookmachine (version ${version})`,
      'update hookmachine, or move the file away',
    );
  try {
    return readProjects(value);
  } catch {
    return corrupt;
  }
}

/** What a file of this version holds, and nothing that is not of it. */
function readProjects(value: unknown): TrustedProjects {
  const { version, projects } = record(value);
  if (version !== trustFileVersion) throw new TypeError('not of this version');
  return new Map(
    Object.entries(record(projects)).map(([folder, project]) => {
      const { trustedAt, hooks } = record(project);
      return [folder, { trustedAt: text(trustedAt), hooks: list(hooks).map(readHook) }];
    }),
  );
}

function readHook(value: unknown): HookFingerprint {
  const { event, name, place, definition, scripts } = record(value);
  return {
    event: text(event),
    name: text(name),
    place: text(place),
    definition: text(definition),
    scripts: list(scripts).map(readScript),
  };
}

function readScript(value: unknown): ScriptFile {
  const { path, realPath, size, sha256 } = record(value);
  if (typeof size !== 'number' || !Number.isFinite(size)) throw new TypeError('no size');
  return { path: text(path), realPath: text(realPath), size, sha256: text(sha256) };
}

const record = (value: unknown): Readonly<Record<string, unknown>> => fitting(isRecord, value);
const list = (value: unknown): readonly unknown[] => fitting(Array.isArray, value);
const text = (value: unknown): string => fitting(isText, value);
const isText = (value: unknown): value is string => typeof value === 'string';

function fitting<T>(fits: (value: unknown) => value is T, value: unknown): T {
  if (fits(value)) return value;
  throw new TypeError('not of the form of a trust file');
}

const fault = (message: string, mend: string): TrustFileFault => ({
  message,
  mend,
  isCorrupt: false,
});

const corrupt: TrustFileFault = {
  message: 'is corrupt',
  mend: 'trust your projects anew: hookmachine trust',
  isCorrupt: true,
};

export const isFault = (read: TrustedProjects | TrustFileFault): read is TrustFileFault =>
  'isCorrupt' in read;
