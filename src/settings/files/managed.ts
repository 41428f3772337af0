import { isRecord } from '../../base/json.ts';
import {
  collectProblems,
  type Path,
  placeOf,
  type SettingsProblem,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import { isAtLeast, isVersion, version } from '../../base/version.ts';
import { type Field, fits } from '../format/field.ts';
import { auditFields, bundleFields, forbiddable, managedFields } from '../format/managed-fields.ts';
import type { SettingsFile } from './read-files.ts';
import { reportUnknownKeys } from '../format/unknown-names.ts';
import type { AuditSettings, RequiredBundle } from '../../core/definitions/settings.ts';

/**
 * What an administrator's files enforce: weaker levels cannot change it, and an invalid value gets its
 * strictest reading.
 */
export interface Managed {
  /** The file that lets only the administrator's hooks run. */
  readonly onlyManagedHooks?: string;
  /** The file that makes a failure deny, whatever weaker hooks say. */
  readonly blocksOnFailure?: string;
  /** The options and variables that have no effect, each with the file that forbids it. */
  readonly forbid: ReadonlyMap<string, string>;
  /** Problems of files that this version cannot obey, so that their guards are unknown. */
  readonly unmet: readonly SettingsProblem[];
  /** The signed bundles that this machine must have. */
  readonly bundles: readonly RequiredBundle[];
  /** Where every session is recorded. */
  readonly audit?: AuditSettings;
}

type File = Pick<SettingsFile, 'file' | 'values' | 'locate'>;

/** Combines all of the administrator's files. No file can take back what another one says. */
export function managedBy(files: readonly File[]): Managed {
  const all = files.flatMap(({ file, values, locate }) => {
    const { managed } = values;
    return isRecord(managed) ? [{ file, managed, locate }] : [];
  });
  const only = all.find(({ managed }) => isWanted(managed['onlyManagedHooks']));
  const audits = all.flatMap(({ managed }) => auditOf(managed['audit']));
  const blocks = all.find(({ managed }) => isBlocking(managed['defaultOnFailure']));
  return {
    ...(only && { onlyManagedHooks: only.file }),
    ...(blocks && { blocksOnFailure: blocks.file }),
    forbid: new Map(
      all.flatMap(({ file, managed }) =>
        forbiddenIn(managed['forbid']).map((word) => [word, file]),
      ),
    ),
    unmet: files.flatMap(unmetBy),
    bundles: all.flatMap(({ managed }) => requiredIn(managed['bundles'])),
    ...(audits.length > 0 && { audit: withPlace(Object.assign({}, ...audits) as AuditSettings) }),
  };
}

/** Returns the reasons why this version cannot obey a file. */
function unmetBy({ file, values: { managed }, locate }: File): SettingsProblem[] {
  if (managed === undefined) return [];
  const denied = 'so prompts, model calls and tools are denied';
  const problem = (path: Path, message: string, fix: string): SettingsProblem[] => [
    {
      file,
      ...(locate && { at: locate(path) }),
      place: placeOf(path),
      message: `${message}, ${denied}`,
      fix,
    },
  ];
  if (!isRecord(managed)) return problem(['managed'], said(managed), 'make it an object: { … }');
  return [...unmetVersion(managed['requireVersion'], problem), ...unmetBundles(managed, problem)];
}

type Refuse = (path: Path, message: string, fix: string) => SettingsProblem[];

function unmetVersion(wanted: unknown, problem: Refuse): SettingsProblem[] {
  const path = ['managed', 'requireVersion'];
  if (wanted === undefined) return [];
  if (!isVersion(wanted)) return problem(path, said(wanted), managedFields.requireVersion.fix);
  return isAtLeast(wanted)
    ? []
    : problem(path, `is ${wanted}, but this is hookmachine ${version}`, 'install a newer version');
}

/** An unreadable entry is reported, because nobody can tell which bundle it requires. */
function unmetBundles({ bundles }: Readonly<Record<string, unknown>>, problem: Refuse) {
  if (bundles === undefined) return [];
  const path = ['managed', 'bundles'];
  if (!Array.isArray(bundles)) return problem(path, said(bundles), managedFields.bundles.fix);
  return bundles.flatMap((one: unknown, index) => {
    const fault = bundleFault(one);
    if (fault === undefined) return [];
    const [key] = fault.path;
    const value = key === undefined ? one : (one as Record<string, unknown>)[key];
    return problem([...path, index, ...fault.path], said(value), fault.fix);
  });
}

/** Anything but false means that the guard is wanted. */
const isWanted = (value: unknown): boolean => value !== undefined && value !== false;

/** Returns the valid fields of `audit`. Anything but false means that auditing is wanted. */
function auditOf(value: unknown): AuditSettings[] {
  if (value === undefined || value === false) return [];
  if (!isRecord(value)) return [{}];
  const fields = Object.entries(auditFields).filter(([key, field]) => fits(field, value[key]));
  return [Object.fromEntries(fields.map(([key]) => [key, value[key]]))];
}

/** An audit without a destination goes to the system's log, where users cannot take it back. */
const withPlace = (audit: AuditSettings): AuditSettings =>
  [audit.file, audit.recording, audit.syslog, audit.opentelemetry].every((to) => to === undefined)
    ? { ...audit, syslog: true }
    : audit;

const isBlocking = (value: unknown): boolean => value !== undefined && value !== 'allow';

/** A value that is not a list forbids everything. */
const forbiddenIn = (value: unknown): readonly string[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? forbiddable.filter((word) => value.includes(word)) : forbiddable;
};

/** Returns the valid entries; the others are reported as impossible to obey. */
const requiredIn = (value: unknown): readonly RequiredBundle[] =>
  Array.isArray(value) ? value.filter((one) => bundleFault(one) === undefined) : [];

/** Returns where an entry of `bundles` is invalid, and the fix. */
function bundleFault(value: unknown): { readonly path: Path; readonly fix: string } | undefined {
  if (!isRecord(value)) return { path: [], fix: 'make it an object: { "name": …, "signer": … }' };
  const field = Object.entries(bundleFields).find(([key, one]) => !fits(one, value[key]));
  return field && { path: [field[0]], fix: field[1].fix };
}

/**
 * Returns the problems of `managed` in an administrator's file, or reports that it occurs in any other file.
 */
export function managedProblems(
  { file, values, locate }: Pick<File, 'values' | 'locate'> & { readonly file?: string },
  isSystems: boolean,
): SettingsProblem[] {
  const { managed } = values;
  if (managed === undefined) return [];
  const from = { ...(file !== undefined && { file }), locate };
  return collectProblems(from, (complain) => {
    const wrong = (path: Path, value: unknown, fate: string, fix: string): void =>
      complain(() => ({ path: ['managed', ...path], message: `${said(value)}, so ${fate}`, fix }));
    if (!isSystems)
      return complain(() => ({
        path: ['managed'],
        message: "counts only in an administrator's settings, so it was ignored",
        fix: 'remove it, or have an administrator set it for this machine',
      }));
    // A `managed` that is not an object is reported as impossible to obey.
    if (!isRecord(managed)) return;
    reportUnknownKeys(managed, ['managed'], Object.keys(managedFields), [], complain);
    const checkAt = (path: Path, value: unknown, field: Field): void => {
      if (value !== undefined && !fits(field, value))
        wrong(path, value, field.fate ?? 'it was ignored', field.fix);
    };
    const { forbid, audit, bundles } = managed;
    for (const [index, one] of Array.isArray(bundles) ? bundles.entries() : [])
      if (isRecord(one))
        reportUnknownKeys(
          one,
          ['managed', 'bundles', index],
          Object.keys(bundleFields),
          [],
          complain,
        );
    if (isRecord(audit)) {
      reportUnknownKeys(audit, ['managed', 'audit'], Object.keys(auditFields), [], complain);
      for (const [key, field] of Object.entries(auditFields))
        checkAt(['audit', key], audit[key], field);
    }
    for (const key of ['audit', 'onlyManagedHooks', 'defaultOnFailure'] as const)
      checkAt([key], managed[key], managedFields[key]);
    if (!Array.isArray(forbid)) return checkAt(['forbid'], forbid, managedFields.forbid);
    for (const [index, word] of forbid.entries())
      if (!forbiddable.includes(word as string))
        wrong(
          ['forbid', index],
          word,
          'it forbids nothing',
          `name one of ${forbiddable.join(', ')}`,
        );
  });
}
