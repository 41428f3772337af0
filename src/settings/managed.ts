import { isAbsolute } from 'node:path';
import { isRecord } from '../protocol/output.ts';
import { collectProblems, type Path, placeOf, said, type SettingsProblem } from './problem.ts';
import type { SettingsFile } from './read-files.ts';
import { reportUnknownKeys } from './unknown-names.ts';

/** The version of this package; a constant, because no module of the core looks for a file beside itself. */
export const version = '0.1.0';

/** What an administrator's files say that nobody below can change; of a value that is wrong the strictest reading counts. */
export interface Managed {
  /** The file by which no hooks run but the administrator's. */
  readonly onlyManagedHooks?: string;
  /** The file by which a failure denies, whatever weaker hooks say of theirs. */
  readonly blocksOnFailure?: string;
  /** The options and variables that have no effect, each with the file that says so. */
  readonly forbid: ReadonlyMap<string, string>;
  /** Files that this version cannot obey, so that what they guard is unknown. */
  readonly unmet: readonly SettingsProblem[];
  /** Signed bundles that this machine has to have. */
  readonly bundles: readonly RequiredBundle[];
  /** Where every session is recorded. */
  readonly audit?: AuditSettings;
}

/** A bundle that has to be installed for all users of a machine. */
export interface RequiredBundle {
  readonly name: string;
  /** Who has to have signed it, by the name in the administrator's list of signers. */
  readonly signer: string;
  /** The lowest version that will do. */
  readonly version?: string;
  /** What it means where it is missing or may not run; default: what a failure of the system's hooks means. */
  readonly onFailure?: 'allow' | 'block';
}

/** Where an audit log is kept, and how much of it. */
export interface AuditSettings {
  /** A file, in whose name `%u` stands for the user's. */
  readonly file?: string;
  /** The size from which on a new file is begun, in bytes. */
  readonly maxBytes?: number;
  /** How many old files stay. */
  readonly keep?: number;
  /** The system's log, or one behind this socket. */
  readonly syslog?: true | string;
  /** A collector of OpenTelemetry; `true`: the one that the environment names. */
  readonly opentelemetry?: true | OtlpSettings;
}

/** A collector that speaks OTLP over HTTP. */
export interface OtlpSettings {
  /** Its address, as `https://collector.example.com:4318`; default: what the environment names. */
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long it has to take what is sent, in ms. */
  readonly timeout?: number;
}

/** The options of commands, and the variables of the environment, that can be forbidden. */
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

/** What may stand in `managed`. */
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

/** What all files of the administrator manage together: no file takes back what another one says. */
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

/** Why this version cannot obey a file. */
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
    return problem(path, said(wanted), 'write the lowest version that will do, such as "1.2.0"');
  return isAtLeast(wanted)
    ? []
    : problem(path, `is ${wanted}, and this is hookmachine ${version}`, 'install a newer version');
}

/** Which bundle is meant by a demand that cannot be read nobody knows. */
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

/** Whoever writes something else than false means the guard. */
const isMeant = (value: unknown): boolean => value !== undefined && value !== false;

/** What `audit` may hold, and what is said of what does not fit. */
const auditFields: Readonly<
  Record<keyof AuditSettings, { fits: (value: unknown) => boolean; fix: string }>
> = {
  file: {
    fits: (value) => typeof value === 'string' && isAbsolute(value),
    fix: 'write the whole path of a file, in which "%u" stands for the user',
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
    fix: 'make it true, or the whole path of a socket',
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

/** What of `audit` fits; whatever else than false stands there means that there is one. */
function auditOf(value: unknown): AuditSettings[] {
  if (value === undefined || value === false) return [];
  if (!isRecord(value)) return [{}];
  const fields = Object.entries(auditFields).filter(([key, { fits }]) => fits(value[key]));
  return [Object.fromEntries(fields.map(([key]) => [key, value[key]]))];
}

/** An audit that names no place goes where users cannot take it back. */
const withPlace = (audit: AuditSettings): AuditSettings =>
  audit.file === undefined && audit.syslog === undefined && audit.opentelemetry === undefined
    ? { ...audit, syslog: true }
    : audit;

const isBlocking = (value: unknown): boolean => value !== undefined && value !== 'allow';

/** A list that is none forbids everything. */
const forbiddenIn = (value: unknown): readonly string[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? forbiddable.filter((word) => value.includes(word)) : forbiddable;
};

/** What stands in `bundles` may hold, and what is said of what does not fit. */
const bundleFields: Readonly<
  Record<keyof RequiredBundle, { fits: (value: unknown) => boolean; fix: string }>
> = {
  name: {
    fits: (value) => typeof value === 'string' && value !== '',
    fix: 'write the name of the bundle',
  },
  signer: {
    fits: (value) => typeof value === 'string' && value !== '',
    fix: 'write the name that its signer has in the allowed_signers beside these settings',
  },
  version: {
    fits: (value) => value === undefined || isVersion(value),
    fix: 'write the lowest version that will do, such as "1.2.0"',
  },
  onFailure: {
    fits: (value) => [undefined, 'allow', 'block'].includes(value as string | undefined),
    fix: 'write "allow" or "block"',
  },
};

/** Demands that can be understood; those that cannot are reported as what nobody can obey. */
const requiredIn = (value: unknown): readonly RequiredBundle[] =>
  Array.isArray(value) ? value.filter((one) => bundleFault(one) === undefined) : [];

/** Where a demand is not as it should be, and what to do. */
function bundleFault(value: unknown): { readonly path: Path; readonly fix: string } | undefined {
  if (!isRecord(value)) return { path: [], fix: 'make it an object: { "name": …, "signer": … }' };
  const field = Object.entries(bundleFields).find(([key, { fits }]) => !fits(value[key]));
  return field && { path: [field[0]], fix: field[1].fix };
}

const numbers = /^(\d+)\.(\d+)\.(\d+)$/;
/** Whether a text is a version such as "1.2.0". */
export const isVersion = (value: unknown): value is string =>
  typeof value === 'string' && numbers.test(value);

/** Whether a version, that of this package by default, is not lower than another one. */
export function isAtLeast(wanted: string, has = version): boolean {
  const [least, own] = [wanted, has].map((text) => numbers.exec(text)!.slice(1).map(Number));
  const at = least!.findIndex((part, index) => part !== own![index]);
  return at === -1 || own![at]! > least![at]!;
}

/** What is wrong with `managed` in an administrator's file, or that it stands in any other one. */
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
        message: "counts in an administrator's settings only, so it was ignored",
        fix: 'take it out, or have an administrator set it for this machine',
      }));
    // One that is no object is reported as what nobody can obey.
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
