import { devNull } from 'node:os';
import { isRecord } from '../protocol/output.ts';
import { parseJson, type ParsedJson } from './parse-json.ts';
import { collectProblems, type Position, type SettingsProblem } from './problem.ts';
import { readBounded, refusals } from './read-bounded.ts';
import { reportMisspeltKeys } from './unknown-keys.ts';

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

/**
 * Reads settings files for one session. A broken file counts as it last was, so that a slip of the
 * editor removes no guard while the agent works; if it never was whole, it counts as empty.
 */
export function settingsReader(): ReadSettingsFile {
  const lastWhole = new Map<string, SettingsFile>();
  return (file, hasOurKeys = true) => {
    const found = read(file, hasOurKeys);
    if (found === undefined) lastWhole.delete(file);
    else if ('unusable' in found) {
      const last = lastWhole.get(file) ?? { file, values: {}, problems: [] };
      const { message, ...rest } = found.unusable;
      const then = lastWhole.has(file) ? 'it counts as it was before' : 'the whole file is ignored';
      const problem = { file, place: '', message: `${message}, so ${then}`, ...rest };
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

function read(file: string, hasOurKeys: boolean): SettingsFile | BrokenFile | undefined {
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
  const parsed = parseJson(text);
  if ('fault' in parsed)
    return broken(`not valid JSON (${parsed.fault})`, 'fix the JSON there', parsed.at);
  const { value, locate, doubled } = parsed;
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

/** The keys of a settings file that concern hooks; what else stands there is for others to judge. */
const ours: ReadonlySet<unknown> = new Set(['tools', 'enableHooks', 'hooksConfig', 'hooks']);
