import { type Dirent, lstatSync, readdirSync, readSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname } from 'node:path';
import { isMissing, isShortage } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { isBrokenLink } from './levels.ts';
import { type ParsedJson, parseJson, type SyntaxFault } from './parse-json.ts';
import {
  collectProblems,
  type Position,
  type SettingsProblem,
} from '../../core/definitions/problem.ts';
import { readBounded, refusals, withFile } from './read-bounded.ts';
import { reportMisspeltKeys } from '../format/unknown-names.ts';
import type { FirstSight } from '../../core/definitions/settings.ts';
import { messageOf } from '../../base/message-of.ts';

/** One settings file with the values that count. */
export interface SettingsFile {
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly locate?: ParsedJson['locate'] | undefined;
  readonly problems: readonly SettingsProblem[];
  /** The file exists, but its content is unknown. */
  readonly broken?: {
    readonly fault: string;
    /** It could not even be read. */
    readonly isUnread: boolean;
    /** Its last intact version counts. */
    readonly isStale: boolean;
  };
}

/**
 * Reads a settings file. A missing file yields undefined and is not a problem. `hasOurKeys` is false for a
 * file whose keys are freely chosen names, which cannot be misspelt.
 */
export type ReadSettingsFile = (file: string, hasOurKeys?: boolean) => SettingsFile | undefined;

/** A file that cannot be used at all. `message` says why, not what was done about it. */
interface BrokenFile {
  readonly unusable: Pick<SettingsProblem, 'at' | 'message' | 'fix' | 'isPassing'>;
  readonly isUnread?: true;
}

/** The format of a settings file's text. */
export interface SettingsFormat {
  readonly name: string;
  readonly parse: (text: string) => (Pick<ParsedJson, 'value'> & Partial<ParsedJson>) | SyntaxFault;
}

const json: SettingsFormat = { name: 'JSON', parse: parseJson };

/**
 * Returns a reader of settings files for one session. If a file breaks, its last intact version counts, so
 * that a slip in the editor removes no guard while the agent works; a file that was never intact counts as
 * empty.
 */
export function settingsReader(format = json): ReadSettingsFile {
  const lastWhole = new Map<string, SettingsFile>();
  return (file, hasOurKeys = true) => {
    const found = readOnce(file, hasOurKeys, format);
    if (found === undefined) lastWhole.delete(file);
    else if ('unusable' in found) {
      const last = lastWhole.get(file) ?? { file, values: {}, problems: [] };
      const { message, ...rest } = found.unusable;
      const then = lastWhole.has(file)
        ? 'its last valid content still counts'
        : 'the whole file is ignored';
      const problem: SettingsProblem = {
        file,
        place: '',
        message: `${message}, so ${then}`,
        ...rest,
        ...(!lastWhole.has(file) && { isWhole: true }),
      };
      return {
        ...last,
        problems: [...last.problems, problem],
        broken: {
          fault: message,
          isUnread: found.isUnread === true,
          isStale: lastWhole.has(file),
        },
      };
    } else lastWhole.set(file, found);
    return found;
  };
}

function readOnce(
  file: string,
  hasOurKeys: boolean,
  { name, parse }: SettingsFormat,
): SettingsFile | BrokenFile | undefined {
  let text: string;
  try {
    const bounded = readBounded(file);
    if ('refused' in bounded) {
      if (file === devNull) return undefined;
      const { message, fix } = refusals[bounded.refused];
      return { ...broken(message, fix), isUnread: true };
    }
    text = bounded.bytes.toString();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (isMissing(error)) return undefined;
    const { unusable } = broken(
      `cannot be read (${code ?? message})`,
      'give this user read permission',
    );
    return { unusable: { ...unusable, ...passing(error) }, isUnread: true };
  }
  const parsed = parsedBy(parse, text);
  if ('fault' in parsed)
    return broken(
      `not valid ${name} (${parsed.fault})`,
      `fix the ${name} there`,
      'at' in parsed ? parsed.at : undefined,
    );
  const { value, locate, doubled = [] } = parsed;
  if (!isRecord(value)) return broken('is not a JSON object', 'write { "hooks": { … } }');
  const problems = collectProblems({ file, locate }, (complain) => {
    for (const { top, path } of doubled)
      if (ours.has(top))
        complain(() => ({
          path: path(),
          message: 'this key occurs more than once, and only the last one counts',
          fix: 'merge their values under one key',
        }));
    if (hasOurKeys) reportMisspeltKeys(value, complain);
  });
  return { file, values: value, locate, problems };
}

/** A parser that throws knows no more of the file than one that finds a fault. */
function parsedBy(
  parse: SettingsFormat['parse'],
  text: string,
): ReturnType<SettingsFormat['parse']> | Omit<SyntaxFault, 'at'> {
  try {
    return parse(text);
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

const passing = (error: unknown): Pick<SettingsProblem, 'isPassing'> =>
  isShortage(error) ? { isPassing: true } : {};

const broken = (message: string, fix: string, at?: Position): BrokenFile => ({
  unusable: { message, fix, ...(at && { at }) },
});

/** Whether there is anything at this path; a link counts, wherever it leads. */
export function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The path cannot be examined, so something may be there.
    return true;
  }
}

/**
 * Returns a broken settings file for a file that is missing because it, or its folder, is a link that leads
 * nowhere: its settings are unknown. Undefined for anything else.
 */
export function danglingLink(missing: string): SettingsFile | undefined {
  const file = [missing, dirname(missing)].find(isBrokenLink);
  if (file === undefined) return undefined;
  const fault = 'is a broken link';
  return {
    file,
    values: {},
    broken: { fault, isUnread: true, isStale: false },
    problems: [
      {
        file,
        place: '',
        message: `${fault}, so the settings there are ignored`,
        fix: 'correct the link, or remove it',
        isWhole: true,
      },
    ],
  };
}

/** The keys of a settings file that concern hooks; the others are for other programs to judge. */
const ours: ReadonlySet<unknown> = new Set([
  'tools',
  'enableHooks',
  'hooksConfig',
  'hooks',
  'managed',
]);

/** How much of a file is examined, in bytes. */
const mostBytes = 4 * 1024 * 1024;

/** A settings file that holds none of these texts says nothing about hooks. */
const settingsSigns = [
  '"hooks"',
  '"hooksConfig"',
  '"enableHooks"',
  '"defaultOnFailure"',
  '"guards"',
  '"budget"',
];

/**
 * Whether an untrusted settings file seems to say anything about hooks. It is not parsed, no pipe or device
 * is opened, and a file without an end keeps nobody waiting.
 */
export function settingsAtFirstSight(
  file: string,
  signs: readonly string[] = settingsSigns,
): FirstSight {
  try {
    const seen = withFile(file, (descriptor) => ({ hasHooks: holdsSign(descriptor, signs) }));
    return 'refused' in seen ? { fault: 'its settings are not a file' } : seen;
  } catch (error) {
    return sightOf('its settings file', error);
  }
}

/** Whether an untrusted folder of hooks contains any file. The files themselves are not examined. */
export function folderAtFirstSight(folder: string): FirstSight {
  try {
    const entries: Dirent[] = readdirSync(folder, { withFileTypes: true });
    return { hasHooks: entries.some((entry) => !entry.isDirectory()) };
  } catch (error) {
    return sightOf('its folder of hooks', error);
  }
}

function sightOf(what: string, error: unknown): FirstSight {
  const { code, message } = error as NodeJS.ErrnoException;
  if (isMissing(error)) return { hasHooks: false };
  return { fault: `${what} cannot be read (${code ?? message})` };
}

/**
 * Reads the file piece by piece, each with the end of the one before, so that no sign is missed between two.
 */
function holdsSign(descriptor: number, signs: readonly string[]): boolean {
  const overlap = longestEscape * Math.max(...signs.map(({ length }) => length)) - 1;
  const piece = Buffer.alloc(64 * 1024);
  let kept = 0;
  for (let seen = 0; seen < mostBytes;) {
    const count = readSync(descriptor, piece, kept, piece.length - kept, null);
    if (count === 0) return false;
    seen += count;
    const end = kept + count;
    const text = withoutEscapes(piece.toString('latin1', 0, end));
    if (signs.some((sign) => text.includes(sign))) return true;
    kept = Math.min(overlap, end);
    piece.copy(piece, 0, end - kept, end);
  }
  return false;
}

/** JSON may write any letter of a key as an escape such as `\u0068`. */
const withoutEscapes = (text: string): string =>
  text.replaceAll(/\\u00([4-7][\dA-Fa-f])/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
const longestEscape = String.raw`\u0068`.length;

/** Lists the folders in a folder, by name. A missing folder holds none and is not a problem. */
export type ReadFolders = (folder: string) => {
  readonly names: readonly string[];
  readonly problems: readonly SettingsProblem[];
};

/**
 * Returns a lister of folders for one session. For a folder that cannot be read, its last listing counts, as
 * with a settings file.
 */
export function folderReader(): ReadFolders {
  const lastRead = new Map<string, readonly string[]>();
  return (folder) => {
    try {
      const names = readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map(({ name }) => name)
        .toSorted();
      lastRead.set(folder, names);
      return { names, problems: [] };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (isMissing(error)) {
        lastRead.delete(folder);
        return { names: [], problems: [] };
      }
      const names = lastRead.get(folder);
      const then = names ? 'its last listing still counts' : 'nothing in it counts';
      const problem = {
        file: folder,
        place: '',
        message: `cannot be read (${code ?? message}), so ${then}`,
        fix: 'give this user read permission',
        ...passing(error),
      };
      return { names: names ?? [], problems: [problem] };
    }
  };
}
