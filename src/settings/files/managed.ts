import { isAbsolute } from 'node:path';
import { isRecord } from '../../base/json.ts';
import {
  collectProblems,
  type Path,
  placeOf,
  type SettingsProblem,
} from '../../core/definitions/problem.ts';
import { said } from '../../base/message-of.ts';
import type { SettingsFile } from './read-files.ts';
import { reportUnknownKeys } from './unknown-names.ts';
import type { AuditSettings, RequiredBundle } from '../../core/definitions/settings.ts';

/** The version of this package. It is a constant because no core module reads a file next to itself. */
export const version = '0.1.0';

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

/** The command-line options and environment variables that can be forbidden. */
export const forbiddable: readonly string[] = [
  '--no-hooks',
  '--trust',
  '--dialects',
  '--hook',
  '--allow-guard-writes',
  '--record-payloads',
  '--inspect-payloads',
  'HOOKMACHINE_TRUST',
  'LLXPRT_SYSTEM_SETTINGS_PATH',
  'LLXPRT_CODE_SYSTEM_SETTINGS_PATH',
  'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
  'QWEN_CODE_SYSTEM_SETTINGS_PATH',
];

/** The keys of `managed`. */
export const managedKeys: readonly string[] = [
  'onlyManagedHooks',
  'defaultOnFailure',
  'forbid',
  'redact',
  'requireVersion',
  'audit',
  'bundles',
];

type File = Pick<SettingsFile, 'file' | 'values' | 'locate'>;

/** Combines all of the administrator's files. No file can take back what another one says. */
export function managedBy(files: readonly File[]): Managed {
  const all = files.flatMap(({ file, values, locate }) => {
    const { managed } = values;
    return isRecord(managed) ? [{ file, managed, locate }] : [];
  });
  const only = all.find(({ managed }) => isMeant(managed['onlyManagedHooks']));
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
  if (!isVersion(wanted))
    return problem(path, said(wanted), 'write the lowest acceptable version, such as "1.2.0"');
  return isAtLeast(wanted)
    ? []
    : problem(path, `is ${wanted}, but this is hookmachine ${version}`, 'install a newer version');
}

/** An unreadable entry is reported, because nobody can tell which bundle it requires. */
function unmetBundles({ bundles }: Readonly<Record<string, unknown>>, problem: Refuse) {
  if (bundles === undefined) return [];
  const path = ['managed', 'bundles'];
  if (!Array.isArray(bundles)) return problem(path, said(bundles), 'make it an array');
  return bundles.flatMap((one: unknown, index) => {
    const fault = bundleFault(one);
    if (fault === undefined) return [];
    const [key] = fault.path;
    const value = key === undefined ? one : (one as Record<string, unknown>)[key];
    return problem([...path, index, ...fault.path], said(value), fault.fix);
  });
}

/** Anything but false means that the guard is wanted. */
const isMeant = (value: unknown): boolean => value !== undefined && value !== false;

/** The fields of `audit`, each with its check and the fix for an invalid value. */
const auditFields: Readonly<
  Record<keyof AuditSettings, { fits: (value: unknown) => boolean; fix: string }>
> = {
  file: {
    fits: (value) => typeof value === 'string' && isAbsolute(value),
    fix: 'write the absolute path of a file, in which "%u" stands for the user',
  },
  maxBytes: {
    fits: (value) => Number.isInteger(value) && (value as number) >= 4_096,
    fix: 'make it a whole number of bytes, at least 4096',
  },
  keep: {
    fits: (value) => Number.isInteger(value) && (value as number) >= 0,
    fix: 'make it a whole number',
  },
  syslog: {
    fits: (value) => value === true || (typeof value === 'string' && isAbsolute(value)),
    fix: 'make it true, or the absolute path of a socket',
  },
  opentelemetry: {
    fits: (value) => value === true || (isRecord(value) && isOtlp(value)),
    fix: 'make it true, or an object of "endpoint" (http://… or https://…), "headers" and "timeout" (in ms)',
  },
};

const isOtlp = ({ endpoint, headers, timeout, ...others }: Record<string, unknown>): boolean =>
  Object.keys(others).length === 0 &&
  (endpoint === undefined || (typeof endpoint === 'string' && /^https?:\/\/[^/]/.test(endpoint))) &&
  (headers === undefined ||
    (isRecord(headers) && Object.values(headers).every((value) => typeof value === 'string'))) &&
  (timeout === undefined || (Number.isInteger(timeout) && (timeout as number) > 0));

/** Returns the valid fields of `audit`. Anything but false means that auditing is wanted. */
function auditOf(value: unknown): AuditSettings[] {
  if (value === undefined || value === false) return [];
  if (!isRecord(value)) return [{}];
  const fields = Object.entries(auditFields).filter(([key, { fits }]) => fits(value[key]));
  return [Object.fromEntries(fields.map(([key]) => [key, value[key]]))];
}

/** An audit without a destination goes to the system's log, where users cannot take it back. */
const withPlace = (audit: AuditSettings): AuditSettings =>
  audit.file === undefined && audit.syslog === undefined && audit.opentelemetry === undefined
    ? { ...audit, syslog: true }
    : audit;

const isBlocking = (value: unknown): boolean => value !== undefined && value !== 'allow';

/** A value that is not a list forbids everything. */
const forbiddenIn = (value: unknown): readonly string[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? forbiddable.filter((word) => value.includes(word)) : forbiddable;
};

/** The fields of an entry of `bundles`, each with its check and the fix for an invalid value. */
const bundleFields: Readonly<
  Record<keyof RequiredBundle, { fits: (value: unknown) => boolean; fix: string }>
> = {
  name: {
    fits: (value) => typeof value === 'string' && value !== '',
    fix: 'write the name of the bundle',
  },
  signer: {
    fits: (value) => typeof value === 'string' && value !== '',
    fix: 'write the name that its signer has in the allowed_signers file next to these settings',
  },
  version: {
    fits: (value) => value === undefined || isVersion(value),
    fix: 'write the lowest acceptable version, such as "1.2.0"',
  },
  onFailure: {
    fits: (value) => [undefined, 'allow', 'block'].includes(value as string | undefined),
    fix: 'write "allow" or "block"',
  },
};

/** Returns the valid entries; the others are reported as impossible to obey. */
const requiredIn = (value: unknown): readonly RequiredBundle[] =>
  Array.isArray(value) ? value.filter((one) => bundleFault(one) === undefined) : [];

/** Returns where an entry of `bundles` is invalid, and the fix. */
function bundleFault(value: unknown): { readonly path: Path; readonly fix: string } | undefined {
  if (!isRecord(value)) return { path: [], fix: 'make it an object: { "name": …, "signer": … }' };
  const field = Object.entries(bundleFields).find(([key, { fits }]) => !fits(value[key]));
  return field && { path: [field[0]], fix: field[1].fix };
}

const numbers = /^(\d+)\.(\d+)\.(\d+)$/;
/** Whether a text is a version such as "1.2.0". */
export const isVersion = (value: unknown): value is string =>
  typeof value === 'string' && numbers.test(value);

/** Whether a version, by default that of this package, is at least `wanted`. */
export function isAtLeast(wanted: string, has = version): boolean {
  const [least, own] = [wanted, has].map((text) => numbers.exec(text)!.slice(1).map(Number));
  const at = least!.findIndex((part, index) => part !== own![index]);
  return at === -1 || own![at]! > least![at]!;
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
    reportUnknownKeys(managed, ['managed'], managedKeys, [], complain);
    const { onlyManagedHooks: only, defaultOnFailure, forbid, audit, bundles } = managed;
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
      for (const [key, { fits, fix }] of Object.entries(auditFields))
        if (audit[key] !== undefined && !fits(audit[key]))
          wrong(['audit', key], audit[key], 'it was ignored', fix);
    } else if (audit !== undefined && typeof audit !== 'boolean')
      wrong(['audit'], audit, 'it counts as true', 'make it true, false or an object');
    if (only !== undefined && typeof only !== 'boolean')
      wrong(['onlyManagedHooks'], only, 'it counts as true', 'make it true or false');
    if (![undefined, 'allow', 'block'].includes(defaultOnFailure as string | undefined))
      wrong(
        ['defaultOnFailure'],
        defaultOnFailure,
        'it counts as "block"',
        'write "allow" or "block"',
      );
    if (forbid === undefined) return;
    if (!Array.isArray(forbid))
      return wrong(
        ['forbid'],
        forbid,
        'all that can be forbidden is',
        `make it an array of ${forbiddable.join(', ')}`,
      );
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
