import { readFileSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { isRecord } from '../protocol/output.ts';
import { parseJson, type ParsedJson } from './parse-json.ts';
import { placeOf, type Position, type SettingsProblem } from './problem.ts';

/** One settings file as it counts. */
export interface SettingsFile {
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly locate?: ParsedJson['locate'] | undefined;
  readonly problems: readonly SettingsProblem[];
}

/** Reads a settings file; one that is not there is no file, and no problem. */
export type ReadSettingsFile = (file: string) => SettingsFile | undefined;

/** Nothing in the file can be used. `message` says why, not what was done about it. */
interface BrokenFile {
  readonly broken: Pick<SettingsProblem, 'at' | 'message' | 'mend'>;
}

/**
 * Reads settings files for one session. A broken file counts as it last was, so that a slip of the
 * editor removes no guard while the agent works; if it never was whole, it counts as empty.
 */
export function settingsReader(): ReadSettingsFile {
  const lastWhole = new Map<string, SettingsFile>();
  return (file) => {
    const found = read(file);
    if (found === undefined) lastWhole.delete(file);
    else if ('broken' in found) {
      const last = lastWhole.get(file) ?? { file, values: {}, problems: [] };
      const { message, ...rest } = found.broken;
      const then = lastWhole.has(file) ? 'it counts as it was before' : 'the whole file is ignored';
      const problem = { file, place: '', message: `${message}, so ${then}`, ...rest };
      return { ...last, problems: [...last.problems, problem] };
    } else lastWhole.set(file, found);
    return found;
  };
}

function read(file: string): SettingsFile | BrokenFile | undefined {
  let text: string;
  try {
    // A device or a pipe could keep the agent waiting without end.
    if (!statSync(file).isFile()) return file === devNull ? undefined : noFile;
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return broken(`cannot be read (${code ?? message})`, 'let this user read it');
  }
  const parsed = parseJson(text);
  if ('fault' in parsed)
    return broken(`not valid JSON (${parsed.fault})`, 'mend the JSON there', parsed.at);
  const { value, locate, doubled } = parsed;
  if (!isRecord(value)) return broken('holds no JSON object', 'write { "hooks": { … } }');
  const problems = doubled
    .filter(([key]) => ours.includes(key))
    .map((path) => ({
      file,
      at: locate(path),
      place: placeOf(path),
      message: 'this key stands more than once, and only the last one counts',
      mend: 'join their values under one key',
    }));
  return { file, values: value, locate, problems };
}

const broken = (message: string, mend: string, at?: Position): BrokenFile => ({
  broken: { message, mend, ...(at && { at }) },
});

const noFile = broken('is not a file', 'put a file there');

/** The keys of a settings file that concern hooks; what else stands there is for others to judge. */
const ours: readonly unknown[] = ['tools', 'enableHooks', 'hooksConfig', 'hooks'];
