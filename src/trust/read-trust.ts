import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { HookFingerprint } from './fingerprint.ts';

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

const fileSchema = z.object({
  version: z.literal(trustFileVersion),
  projects: z.record(
    z.string(),
    z.object({
      trustedAt: z.string(),
      hooks: z.array(
        z.object({
          event: z.string(),
          name: z.string(),
          place: z.string(),
          definition: z.string(),
          scripts: z.array(
            z.object({
              path: z.string(),
              realPath: z.string(),
              size: z.number(),
              sha256: z.string(),
            }),
          ),
        }),
      ),
    }),
  ),
});

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
  const parsed = fileSchema.safeParse(value);
  return parsed.success ? new Map(Object.entries(parsed.data.projects)) : corrupt;
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
