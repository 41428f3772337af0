import { HookmachineError, isHookmachineError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { editFile, readExactly } from './edit-settings-file.ts';
import { parseJson, type ParsedJson } from './parse-json.ts';
import { formatProblem, placeOf, type SettingsProblem } from '../../core/definitions/problem.ts';
import { refusals } from './read-bounded.ts';
import type { InTheWay } from './edit-settings-text.ts';
import { said } from '../../base/message-of.ts';

/** Thrown if a settings file cannot be edited. The message says where, why, and what the user can do. */
export class SettingsEditError extends HookmachineError {
  override readonly name = 'SettingsEditError';
  constructor(message: string, options?: ErrorOptions) {
    super('SETTINGS_NOT_EDITABLE', message, options);
  }
}

/** The content of a file that holds one JSON object, possibly with comments. */
export interface JsonContent {
  readonly isThere: boolean;
  /** The text without its byte order mark, which is kept on writing. */
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly locate: ParsedJson['locate'];
  /** Returns the error that says why something cannot be added. */
  readonly inTheWay: (obstacle: InTheWay) => SettingsEditError;
}

/** Such a file. Edits leave the rest of it untouched. */
export interface EditableJson extends JsonContent {
  /**
   * Replaces the text with what `change` makes of the present one, which another process may have changed
   * meanwhile; undefined removes the file. Throws a `SettingsEditError`.
   */
  readonly edit: (change: (now: JsonContent) => string | undefined) => void;
}

const fix = 'fix it first; nothing was changed';

/**
 * Runs an operation on a file.
 *
 * @throws {SettingsEditError} if the operation fails
 */
export function attempt<T>(file: string, what: 'read' | 'written' | 'removed', work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (isHookmachineError(cause, 'SETTINGS_NOT_EDITABLE')) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const problem = { file, place: '', message: `cannot be ${what} (${code ?? message})` };
    const isFolder = ['EISDIR', 'ENOTDIR', 'EEXIST'].includes(code ?? '');
    const wanted = isFolder
      ? 'make it a file in a folder'
      : 'give this user read and write permission';
    throw new SettingsEditError(formatProblem({ ...problem, fix: wanted }), { cause });
  }
}

/**
 * Opens a JSON file for editing. A missing file has the text `fresh` and is created when it is written.
 *
 * @throws {SettingsEditError} if the file is broken: an edit could do damage that nobody notices
 */
export function openJsonFile(file: string, fresh = '{}\n'): EditableJson {
  const edit: EditableJson['edit'] = (change) =>
    attempt(file, 'written', () =>
      editFile(file, () => {
        const now = readJsonFile(file, fresh);
        const changed = change(now);
        return changed === undefined ? undefined : now.mark + changed;
      }),
    );
  return { ...readJsonFile(file, fresh), edit };
}

/** The `mark` is the byte order mark, if there is one. */
function readJsonFile(file: string, fresh: string): JsonContent & { readonly mark: string } {
  const refuse = (problem: Omit<SettingsProblem, 'file'>): SettingsEditError =>
    new SettingsEditError(formatProblem({ file, ...problem }));
  const found = attempt(file, 'read', () => readExactly(file));
  const whole = found ?? fresh;
  if (typeof whole !== 'string')
    throw refuse({ place: '', message: refusals[whole.refused].message, fix });
  const mark = whole.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = whole.slice(mark.length);
  const parsed = parseJson(text);
  if ('fault' in parsed)
    throw refuse({ at: parsed.at, place: '', message: `not valid JSON (${parsed.fault})`, fix });
  const { value, locate } = parsed;
  if (!isRecord(value))
    throw refuse({ at: locate([]), place: '', message: 'is not a JSON object', fix });
  return {
    isThere: found !== undefined,
    text,
    value,
    locate,
    mark,
    inTheWay: ({ path, wanted }) => {
      const obstacle = path.reduce<unknown>((inner, key) => isRecord(inner) && inner[key], value);
      return refuse({
        at: locate(path),
        place: placeOf(path),
        message: said(obstacle),
        fix: `make it an ${wanted} first; nothing was changed`,
      });
    },
  };
}
