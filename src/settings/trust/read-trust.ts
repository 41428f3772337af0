import { isMissing } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { readBounded } from '../files/read-bounded.ts';
import { fileFault } from './safe-file.ts';
import type { ScriptFile } from './script-file.ts';
import type { Selection } from './selection.ts';
import type { HookFingerprint } from './trusted-hook.ts';

/** What the user trusts in one project. */
export interface ProjectTrust {
  readonly trustedAt: string;
  readonly hooks: readonly HookFingerprint[];
}

/** All projects that the user trusts, by their real paths. */
export type TrustedProjects = ReadonlyMap<string, ProjectTrust>;

/** A fault because of which the whole trust file is ignored. */
export interface TrustFileFault {
  /** Continues "the trust file …". */
  readonly message: string;
  readonly fix: string;
  /** Nothing is lost if the file is replaced. */
  readonly isCorrupt: boolean;
}

/** The version of the file's format. A file of a later version is not read. */
export const trustFileVersion = 3;

/** Hooks in files of these versions were compared with other files: they must be trusted anew. */
const formerVersions: readonly unknown[] = [1, 2];

/**
 * The largest trust file that is read, in bytes: it lists every script of every trusted project, so it holds
 * more than settings do.
 */
const longestTrustFile = 64 * 1024 * 1024;

/** Reads the trust file. A missing file trusts nothing and is not a fault. */
export function readTrustFile(file: string): TrustedProjects | TrustFileFault {
  let text: string;
  try {
    const read = readBounded(file, longestTrustFile);
    if ('refused' in read)
      return read.refused === 'too long'
        ? fault('is larger than 64 MiB', 'move it away, and trust your projects again')
        : fault('is not a file', 'move it away');
    const unsafe = fileFault(file);
    if (unsafe) return fault(unsafe.message, unsafe.fix);
    text = read.bytes.toString();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (isMissing(error)) return new Map();
    return fault(`cannot be read (${code ?? message})`, 'give this user read permission');
  }
  return remembered?.text === text
    ? remembered.projects
    : (remembered = { text, projects: parse(text) }).projects;
}

/** Parsed once, because the file is read for each hook that starts and hardly ever changes. */
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

/** Reads the projects of a file of a known version; unknown content is dropped. */
function readProjects(value: unknown): TrustedProjects {
  const { version, projects } = record(value);
  const isFormer = formerVersions.includes(version);
  if (version !== trustFileVersion && !isFormer) throw new TypeError('not of a known version');
  const read = isFormer ? readFormerHook : readHook;
  return new Map(
    Object.entries(record(projects)).map(([folder, project]) => {
      const { trustedAt, hooks } = record(project);
      return [folder, { trustedAt: text(trustedAt), hooks: list(hooks).map((hook) => read(hook)) }];
    }),
  );
}

function readHook(value: unknown): HookFingerprint {
  const { scripts, absent, selected, disabled, unfollowed, refused, text: shown } = record(value);
  return {
    ...nameOf(value),
    text: text(shown),
    scripts: list(scripts).map(readScript),
    absent: list(absent).map(text),
    selected: list(selected).map(readSelection),
    unfollowed: list(unfollowed).map(text),
    ...(disabled === true && { disabled }),
    ...(refused !== undefined && { refused: text(refused) }),
  };
}

const readFormerHook = (value: unknown): HookFingerprint => ({
  ...nameOf(value),
  text: '',
  scripts: [],
  absent: [],
  selected: [],
  unfollowed: [],
  refused: 'you trusted it with an earlier hookmachine, which compared other files',
});

function nameOf(value: unknown) {
  const { event, name, place, definition } = record(value);
  return {
    event: text(event),
    name: text(name),
    place: text(place),
    definition: text(definition),
  };
}

function readSelection(value: unknown): Selection {
  const { pattern, files } = record(value);
  return { pattern: text(pattern), files: list(files).map(text) };
}

function readScript(value: unknown): ScriptFile {
  const { path, realPath, size, sha256, isManifest } = record(value);
  return {
    path: text(path),
    realPath: text(realPath),
    size: count(size),
    sha256: text(sha256),
    ...(isManifest === true && { isManifest }),
  };
}

const record = (value: unknown): Readonly<Record<string, unknown>> => fitting(isRecord, value);
const list = (value: unknown): readonly unknown[] => fitting(Array.isArray, value);
const text = (value: unknown): string => fitting(isText, value);
const count = (value: unknown): number => fitting(isCount, value);
const isCount = (value: unknown): value is number => Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === 'string';

function fitting<T>(fits: (value: unknown) => value is T, value: unknown): T {
  if (fits(value)) return value;
  throw new TypeError('not of the form of a trust file');
}

const fault = (message: string, fix: string): TrustFileFault => ({
  message,
  fix,
  isCorrupt: false,
});

const corrupt: TrustFileFault = {
  message: 'is corrupt',
  fix: 'trust your projects again: hookmachine trust',
  isCorrupt: true,
};

export const isFault = (read: TrustedProjects | TrustFileFault): read is TrustFileFault =>
  'isCorrupt' in read;

/** Formats a fault of the trust file as one line. */
export const describeFault = (file: string, { message, fix }: TrustFileFault): string =>
  `the trust file ${file} ${message}; ${fix}`;
