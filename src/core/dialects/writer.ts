import type { Shell } from '../../../machines/hook-process.ts';
import { hookPointOf } from '../points/hook-points.ts';
import type { HookDefinition, HookType } from '../definitions/hook-definition.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { EntriesInstallation } from './installation.ts';

/** A hook as an entry in the list of its event, and the parts of it that have no place there. */
export interface WrittenHook {
  /** Undefined if the host cannot have this hook. */
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly lost: readonly string[];
  /** The shell that runs it there, if a different but nearly compatible one runs it here. */
  readonly shell?: Shell;
}

/** How a dialect's own settings describe a hook. */
export interface Writer extends Pick<EntriesInstallation, 'file' | 'fresh' | 'isStrict'> {
  /** The name that matchers use for one of our tools. */
  readonly toolName: (ours: string) => string;
  /** The dialect's word for another of our matcher subjects; default: the same word. */
  readonly word?: (nativeEvent: string, ours: string) => string;
  /** A matcher for exactly these names. */
  readonly list: (names: readonly string[]) => string;
  /** A matcher for these names, and for names in which a regular expression matches anywhere. */
  readonly either: (names: readonly string[], pattern: string) => string;
  readonly write: (
    hook: HookDefinition,
    nativeEvent: string,
    matcher: string | undefined,
  ) => WrittenHook;
}

/** The parts of a definition for which an entry may have a field. */
export type Part =
  | 'args'
  | 'env'
  | 'name'
  | 'description'
  | 'if'
  | 'async'
  | 'wakes'
  | 'once'
  | 'idempotent'
  | 'model'
  | 'headers'
  | 'allowedEnv'
  | 'allowedUrls'
  | 'retries'
  | 'tokenFile'
  | 'tls'
  | 'concurrency'
  | 'stream'
  | 'leftBehind'
  | 'prestart'
  | 'cwd'
  | 'loopLimit'
  | 'agent'
  | 'secretFile'
  | 'schema'
  | 'entities'
  | 'default'
  | 'request';

/** The format of one host's entries. */
export interface EntryFormat {
  /** The field that says what a hook runs, by kind of hook. */
  readonly runs: Readonly<Partial<Record<HookType, string>>>;
  /** Whether hooks are listed in groups; the matcher is then the group's. */
  readonly inGroups: boolean;
  /** How hooks run one after another: `said` if each must say so, `always` if all do. */
  readonly sequential?: 'said' | 'always';
  readonly fields: Readonly<Partial<Record<Part, string>>>;
  /** The fields that say that a failure denies. */
  readonly onBlock?: Readonly<Record<string, unknown>>;
  /** Whether they have an effect at an event; default: at all events. */
  readonly blocksAt?: (nativeEvent: string) => boolean;
  /** The fields that say that a failure does not deny. */
  readonly onAllow?: Readonly<Record<string, unknown>>;
  /** The field of the timeout, with its value for a number of ms. */
  readonly timeout: (ms: number, nativeEvent: string) => Readonly<Record<string, number>>;
  /** Why the host cannot have a hook; undefined if it can. */
  readonly fault?: (hook: HookDefinition, nativeEvent: string) => string | undefined;
  /** The entry names the shell if it is not sh. */
  readonly saysShell?: true;
  /** The field for a program without a shell, if it is a different one. */
  readonly program?: string;
  /** The entry of a command need not name its kind. */
  readonly typeIsOptional?: true;
}

/** Matchers that are regular expressions which may match anywhere in a name. */
export const unanchored = {
  list: (names: readonly string[]): string => `^(?:${names.map(escaped).join('|')})$`,
  either: (names: readonly string[], pattern: string): string =>
    `^(?:${names.map(escaped).join('|')})$|${pattern}`,
};

/** Escapes a name so that, as a regular expression, it matches itself. */
export const escaped = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Returns a timeout in seconds, for a host that accepts fractions. */
export const inSeconds = (ms: number): Readonly<Record<string, number>> => ({
  timeout: ms / 1_000,
});

/** Returns a timeout in milliseconds. */
export const inMilliseconds = (ms: number): Readonly<Record<string, number>> => ({ timeout: ms });

/** Returns a function that writes entries of a format and lists what they cannot hold. */
export const entryWriter =
  (format: EntryFormat): Writer['write'] =>
  (hook, nativeEvent, matcher) => {
    const { type, command, args } = hook;
    const { [type]: field } = format.runs;
    if (field === undefined) return { lost: [`there are no hooks of type "${type}"`] };
    const fault = format.fault?.(hook, nativeEvent);
    if (fault !== undefined) return { lost: [fault] };
    const keepsArgs = args === undefined || format.fields.args !== undefined;
    const { own, lost: lostParts } = ownParts(hook, format, keepsArgs);
    const limit = format.timeout(hook.timeout, nativeEvent);
    const [given = hook.timeout] = Object.values(limit);
    const failure = failureFields(hook, format, nativeEvent);
    const entry = {
      ...(!format.inGroups && matcher !== undefined && { matcher }),
      ...(!(format.typeIsOptional && type === 'command') && { type }),
      [args && format.program !== undefined ? format.program : field]: keepsArgs
        ? command
        : [command, ...args].map(shellWord).join(' '),
      ...own,
      ...(format.saysShell &&
        type === 'command' &&
        !args &&
        hook.shell !== 'sh' && { shell: hook.shell ?? 'bash' }),
      ...failure.fields,
      ...limit,
    };
    const changesShell = type === 'command' && !args && !format.saysShell && hook.shell === 'sh';
    return {
      entry: format.inGroups ? groupOf(entry, matcher, format, hook) : entry,
      lost: [
        ...(given !== hook.timeout && given * 1_000 !== hook.timeout
          ? [`its timeout of ${hook.timeout} ms becomes ${given} s`]
          : []),
        ...lostParts,
        ...failure.lost,
        ...(hook.sequential && format.sequential === undefined
          ? ['its sequential order has no equivalent']
          : []),
        ...(hook.shell === 'powershell' && !format.saysShell
          ? ['its use of PowerShell has no equivalent']
          : []),
      ],
      ...(changesShell && { shell: 'bash' as const }),
    };
  };

const groupOf = (
  entry: object,
  matcher: string | undefined,
  { sequential }: EntryFormat,
  hook: HookDefinition,
) => ({
  ...(matcher !== undefined && { matcher }),
  ...(sequential === 'said' && hook.sequential && { sequential: true }),
  hooks: [entry],
});

/** Returns the parts of a hook in the fields that the host has for them, and what has no field. */
function ownParts(
  hook: HookDefinition,
  { fields }: EntryFormat,
  keepsArgs: boolean,
): { readonly own: Readonly<Record<string, unknown>>; readonly lost: readonly string[] } {
  const { name, command, args, env } = hook;
  const isNamed = name !== command && name !== [command, ...(args ?? [])].join(' ');
  const isOwnUrl = hook.allowedUrls?.every((url) => url === command) === true;
  const parts: Readonly<Record<Part, unknown>> = {
    args: keepsArgs ? args : undefined,
    env: Object.keys(env).length > 0 ? env : undefined,
    name: isNamed ? name : undefined,
    description: hook.description,
    if: hook.if,
    async: hook.async,
    wakes: hook.wakes,
    once: hook.once,
    idempotent: hook.idempotent,
    model: hook.model,
    headers: hook.headers,
    allowedEnv: hook.allowedEnv?.length ? hook.allowedEnv : undefined,
    allowedUrls: fields.allowedUrls === undefined && isOwnUrl ? undefined : hook.allowedUrls,
    retries: hook.retries,
    tokenFile: hook.tokenFile,
    tls: hook.tls,
    concurrency: hook.concurrency,
    stream: hook.stream,
    leftBehind: hook.leftBehind,
    prestart: hook.prestart,
    cwd: hook.cwd,
    loopLimit: hook.loopLimit,
    agent: hook.agent,
    secretFile: hook.secretFile,
    schema: hook.schema,
    entities: hook.entities,
    default: hook.default,
    request: hook.request,
  };
  const own: Record<string, unknown> = {};
  const lost: string[] = [];
  for (const part of Object.keys(parts) as Part[]) {
    const { [part]: value } = parts;
    if (value === undefined) continue;
    const { [part]: key } = fields;
    if (key === undefined) lost.push(withoutEquivalent(part, value));
    else own[key] = value;
  }
  return { own, lost };
}

/** Returns the fields that say what a failure means, and what the host cannot say. */
function failureFields(
  hook: HookDefinition,
  format: EntryFormat,
  nativeEvent: string,
): { readonly fields: object; readonly lost: readonly string[] } {
  const blocks = hook.onFailure === 'block' && hook.inheritsOnFailure !== true;
  const onBlock = format.blocksAt?.(nativeEvent) === false ? undefined : format.onBlock;
  if (blocks)
    return {
      fields: onBlock ?? {},
      lost: onBlock ? [] : ['its denial on failure has no equivalent'],
    };
  if (!hook.failsOpen || hook.async) return { fields: {}, lost: [] };
  // At an event whose denial sends the agent on, a failed hook never does, in any host.
  const isLost = !format.onAllow && hookPointOf(hook.event).denial !== 'sends on';
  return {
    fields: format.onAllow ?? {},
    lost: isLost ? ['letting the call continue on failure has no equivalent'] : [],
  };
}

/** Says that the host has no field for a part. */
function withoutEquivalent(part: Part, value: unknown): string {
  const { [part]: word } = words;
  const colon = word.endsWith('"') ? ':' : '';
  const has = inPlural.has(part) ? 'have' : 'has';
  return `${word}${colon} ${JSON.stringify(value)} ${has} no equivalent`;
}

/** The parts whose word is in the plural. */
const inPlural: ReadonlySet<Part> = new Set(['args', 'headers', 'tls', 'entities', 'request']);

const words: Readonly<Record<Part, string>> = {
  args: 'its arguments',
  env: 'its environment',
  name: 'its name',
  description: 'its description',
  if: 'its rule',
  async: 'its "async"',
  wakes: 'its "asyncRewake"',
  once: 'its "once"',
  idempotent: 'its "idempotent"',
  model: 'its model',
  headers: 'its headers',
  allowedEnv: 'its list of variables for headers',
  allowedUrls: 'its list of URLs',
  retries: 'its "retries"',
  tokenFile: 'its token file',
  tls: 'its certificates',
  concurrency: 'its "concurrency"',
  stream: 'its "stream"',
  leftBehind: 'its "leftBehind"',
  prestart: 'its "prestart"',
  cwd: 'its folder',
  loopLimit: 'its loop limit',
  agent: 'its name for the agent',
  secretFile: 'its file of the secret',
  schema: 'its schema',
  entities: 'its entities',
  default: 'its "default"',
  request: 'its names for requests',
};
