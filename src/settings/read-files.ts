import { type Dirent, lstatSync, readdirSync, readSync } from 'node:fs';
import { devNull } from 'node:os';
import { isRecord } from '../protocol/output.ts';
import { type ParsedJson, parseJson, type SyntaxFault } from './parse-json.ts';
import { collectProblems, type Position, type SettingsProblem } from './problem.ts';
import { readBounded, refusals, withFile } from './read-bounded.ts';
import { reportMisspeltKeys } from './unknown-names.ts';

/** One settings file as it counts. */
export interface SettingsFile {
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly locate?: ParsedJson['locate'] | undefined;
  readonly problems: readonly SettingsProblem[];
  /** The file is there, and what is in it is unknown. */
  readonly broken?: {
    readonly fault: string;
    /** It could not even be read. */
    readonly isUnread: boolean;
    /** It counts as it was when it was last whole. */
    readonly isStale: boolean;
  };
}

/**
 * Reads a settings file; one that is not there is no file, and no problem. `hasOurKeys` is false for a
 * file whose keys are names that somebody chose, none of which can be misspelt.
 */
export type ReadSettingsFile = (file: string, hasOurKeys?: boolean) => SettingsFile | undefined;

/** Nothing in the file can be used. `message` says why, not what was done about it. */
interface BrokenFile {
  readonly unusable: Pick<SettingsProblem, 'at' | 'message' | 'fix'>;
  readonly isUnread?: true;
}

/** What the text of a settings file is written in. */
export interface SettingsFormat {
  readonly name: string;
  readonly parse: (text: string) => (Pick<ParsedJson, 'value'> & Partial<ParsedJson>) | SyntaxFault;
}

const json: SettingsFormat = { name: 'JSON', parse: parseJson };

/**
 * Reads settings files for one session. A broken file counts as it last was, so that a slip of the
 * editor removes no guard while the agent works; if it never was whole, it counts as empty.
 */
export function settingsReader(format = json): ReadSettingsFile {
  const lastWhole = new Map<string, SettingsFile>();
  return (file, hasOurKeys = true) => {
    const found = readOnce(file, hasOurKeys, format);
    if (found === undefined) lastWhole.delete(file);
    else if ('unusable' in found) {
      const last = lastWhole.get(file) ?? { file, values: {}, problems: [] };
      const { message, ...rest } = found.unusable;
      const then = lastWhole.has(file) ? 'it counts as it was before' : 'the whole file is ignored';
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
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return {
      ...broken(`cannot be read (${code ?? message})`, 'let this user read it'),
      isUnread: true,
    };
  }
  const parsed = parse(text);
  if ('fault' in parsed)
    return broken(`not valid ${name} (${parsed.fault})`, `fix the ${name} there`, parsed.at);
  const { value, locate, doubled = [] } = parsed;
  if (!isRecord(value)) return broken('holds no JSON object', 'write { "hooks": { … } }');
  const problems = collectProblems({ file, locate }, (complain) => {
    for (const { top, path } of doubled)
      if (ours.has(top))
        complain(() => ({
          path: path(),
          message: 'this key stands more than once, and only the last one counts',
          fix: 'join their values under one key',
        }));
    if (hasOurKeys) reportMisspeltKeys(value, complain);
  });
  return { file, values: value, locate, problems };
}

const broken = (message: string, fix: string, at?: Position): BrokenFile => ({
  unusable: { message, fix, ...(at && { at }) },
});

/** A link counts, wherever it leads. */
export function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Something is in the way of looking.
    return true;
  }
}

/** A link to no file, which nobody knows the settings of; undefined for whatever else stands there. */
export function danglingLink(file: string): SettingsFile | undefined {
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  } catch {
    return undefined;
  }
  const fault = 'is a link that leads nowhere';
  return {
    file,
    values: {},
    broken: { fault, isUnread: true, isStale: false },
    problems: [
      {
        file,
        place: '',
        message: `${fault}, so the whole file is ignored`,
        fix: 'let it lead to a file, or remove it',
        isWhole: true,
      },
    ],
  };
}

/** The keys of a settings file that concern hooks; what else stands there is for others to judge. */
const ours: ReadonlySet<unknown> = new Set([
  'tools',
  'enableHooks',
  'hooksConfig',
  'hooks',
  'managed',
]);

/** How much of a file is looked at, in bytes. */
const mostBytes = 4 * 1024 * 1024;

/** The texts without which a settings file has nothing to say of hooks. */
const settingsSigns = ['"hooks"', '"hooksConfig"', '"enableHooks"', '"defaultOnFailure"'];

/** What a look shows of an untrusted file or folder; `fault` says why there was none. */
export type FirstSight = { readonly hasHooks: boolean } | { readonly fault: string };

/**
 * Whether a settings file that nobody trusts seems to say anything of hooks. It is not parsed, no
 * pipe or device is opened, and a file without an end keeps nobody waiting.
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

/** Whether a folder of hooks that nobody trusts has anything in it; nothing in it is looked at. */
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
  if (code === 'ENOENT' || code === 'ENOTDIR') return { hasHooks: false };
  return { fault: `${what} cannot be read (${code ?? message})` };
}

/** Piece by piece, each with the end of the one before, so that no sign falls between two. */
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

/** JSON may spell any letter of a key as `\u0068`. */
const withoutEscapes = (text: string): string =>
  text.replaceAll(/\\u00([4-7][\dA-Fa-f])/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
const longestEscape = String.raw`\u0068`.length;

/** The folders in a folder, by name; one that is not there holds none, and is no problem. */
export type ReadFolders = (folder: string) => {
  readonly names: readonly string[];
  readonly problems: readonly SettingsProblem[];
};

/** Lists folders for one session. One that cannot be read counts as it last was, as a settings file does. */
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
      if (code === 'ENOENT' || code === 'ENOTDIR') {
        lastRead.delete(folder);
        return { names: [], problems: [] };
      }
      const names = lastRead.get(folder);
      const then = names ? 'it counts as it was before' : 'nothing in it counts';
      const problem = {
        file: folder,
        place: '',
        message: `cannot be read (${code ?? message}), so ${then}`,
        fix: 'let this user read it',
      };
      return { names: names ?? [], problems: [problem] };
    }
  };
}
