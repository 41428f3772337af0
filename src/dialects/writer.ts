import type { Shell } from '../../machines/hook-process.ts';
import { hookPointOf } from '../hook-points.ts';
import type { HookDefinition, HookType } from '../settings/hook-definition.ts';
import { shellWord } from '../shell-word.ts';
import type { EntriesInstallation } from './installation.ts';

/** A hook as it stands in the list of its event, and what of it has no place there. */
export interface WrittenHook {
  /** Undefined where the host has no hooks of its kind. */
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly lost: readonly string[];
  /** The shell that runs it there, where another does here and the two take nearly the same. */
  readonly shell?: Shell;
}

/** How a dialect's own settings say what a hook is. */
export interface Writer extends Pick<EntriesInstallation, 'file' | 'fresh' | 'isStrict'> {
  /** The name by which matchers know a tool of ours. */
  readonly toolName: (ours: string) => string;
  /** Our word for what else matchers are compared with, as it has it; default: the same. */
  readonly word?: (nativeEvent: string, ours: string) => string;
  /** A matcher for exactly these names. */
  readonly list: (names: readonly string[]) => string;
  /** A matcher for these names, and for what a regular expression finds anywhere in a name. */
  readonly either: (names: readonly string[], pattern: string) => string;
  readonly write: (
    hook: HookDefinition,
    nativeEvent: string,
    matcher: string | undefined,
  ) => WrittenHook;
}

/** The parts of a definition that an entry may have a field for. */
type Part =
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
  | 'loopLimit';

/** What the entries of one host look like. */
export interface EntryFormat {
  /** By kind of hook, the field that says what it runs. */
  readonly runs: Readonly<Partial<Record<HookType, string>>>;
  /** Whether hooks stand in groups; the matcher is then the group's. */
  readonly inGroups: boolean;
  /** Whether hooks that run one after another say so, or all do. */
  readonly sequential?: 'said' | 'always';
  readonly fields: Readonly<Partial<Record<Part, string>>>;
  /** How a failure that denies is said. */
  readonly onBlock?: Readonly<Record<string, unknown>>;
  /** Where that has an effect; default: at all events. */
  readonly blocksAt?: (nativeEvent: string) => boolean;
  /** How it is said that a failure does not. */
  readonly onAllow?: Readonly<Record<string, unknown>>;
  /** The field of the time limit, and what stands there for so many ms. */
  readonly timeout: (ms: number, nativeEvent: string) => Readonly<Record<string, number>>;
  /** Why a hook cannot stand there; undefined where it can. */
  readonly fault?: (hook: HookDefinition, nativeEvent: string) => string | undefined;
  /** The shell is said where it is not sh. */
  readonly saysShell?: true;
  /** What a program without a shell is called, where that is another field. */
  readonly program?: string;
  /** The kind of hook goes without saying for a command. */
  readonly typeIsOptional?: true;
}

/** Regular expressions that are looked for anywhere in a name. */
export const unanchored = {
  list: (names: readonly string[]): string => `^(?:${names.map(escaped).join('|')})$`,
  either: (names: readonly string[], pattern: string): string =>
    `^(?:${names.map(escaped).join('|')})$|${pattern}`,
};

/** A name as a regular expression of itself. */
export const escaped = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What a limit in seconds is, for a host that takes parts of them. */
export const inSeconds = (ms: number): Readonly<Record<string, number>> => ({
  timeout: ms / 1_000,
});

/** The same in milliseconds. */
export const inMilliseconds = (ms: number): Readonly<Record<string, number>> => ({ timeout: ms });

/** Writes entries of a format, and says what they cannot hold. */
export const entryWriter =
  (format: EntryFormat): Writer['write'] =>
  (hook, nativeEvent, matcher) => {
    const { runs, inGroups, fields, timeout, sequential: order } = format;
    const { type, command, args, env, name, onFailure, inheritsOnFailure, failsOpen } = hook;
    const { [type]: field } = runs;
    if (field === undefined) return { lost: [`there are no hooks of type "${type}"`] };
    const fault = format.fault?.(hook, nativeEvent);
    if (fault !== undefined) return { lost: [fault] };
    const lost: string[] = [];
    const limit = timeout(hook.timeout, nativeEvent);
    const keepsArgs = args === undefined || fields.args !== undefined;
    const line = keepsArgs ? command : [command, ...args].map(shellWord).join(' ');
    const [given = hook.timeout] = Object.values(limit);
    if (given !== hook.timeout && given * 1_000 !== hook.timeout)
      lost.push(`its ${hook.timeout} ms are ${given} s there`);
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
    };
    const own: Record<string, unknown> = {};
    for (const part of Object.keys(parts) as Part[]) {
      const { [part]: value } = parts;
      if (value === undefined) continue;
      const { [part]: key } = fields;
      if (key === undefined) lost.push(`${words[part]} ${JSON.stringify(value)} has no place`);
      else own[key] = value;
    }
    const blocks = onFailure === 'block' && inheritsOnFailure !== true;
    const onBlock = format.blocksAt?.(nativeEvent) === false ? undefined : format.onBlock;
    if (blocks && !onBlock) lost.push('that its failure denies cannot be said');
    const allows = !blocks && failsOpen && !hook.async;
    // Nowhere does a failed hook send the agent on.
    if (allows && !format.onAllow && hookPointOf(hook.event).denial !== 'sends on')
      lost.push('that its failure lets the call go on cannot be said');
    const failure = blocks ? onBlock : allows ? format.onAllow : undefined;
    if (hook.sequential && order === undefined)
      lost.push('that it runs one after another with its like cannot be said');
    if (hook.shell === 'powershell' && !format.saysShell)
      lost.push('that PowerShell runs it cannot be said');
    const shell =
      format.saysShell && type === 'command' && !args && hook.shell !== 'sh'
        ? { shell: hook.shell ?? 'bash' }
        : {};
    const entry = {
      ...(!inGroups && matcher !== undefined && { matcher }),
      ...(!(format.typeIsOptional && type === 'command') && { type }),
      [args && format.program !== undefined ? format.program : field]: line,
      ...own,
      ...shell,
      ...failure,
      ...limit,
    };
    const isShellText = type === 'command' && !args;
    const changesShell = isShellText && !format.saysShell && hook.shell === 'sh';
    const isSaid = order === 'said' && hook.sequential;
    return {
      entry: inGroups
        ? {
            ...(matcher !== undefined && { matcher }),
            ...(isSaid && { sequential: true }),
            hooks: [entry],
          }
        : entry,
      lost,
      ...(changesShell && { shell: 'bash' as const }),
    };
  };

const words: Readonly<Record<Part, string>> = {
  args: 'its arguments',
  env: 'its environment',
  name: 'its name',
  description: 'its description',
  if: 'its rule',
  async: 'that nobody waits for it (async):',
  wakes: 'that its exit 2 wakes the agent:',
  once: 'that it runs once a session:',
  idempotent: 'that it may be run again:',
  model: 'its model',
  headers: 'its headers',
  allowedEnv: 'the list of variables for its headers',
  allowedUrls: 'the list of its URLs',
  retries: 'how often it asks again ("retries"):',
  tokenFile: 'the file of its token',
  tls: 'its certificates',
  concurrency: 'its "concurrency"',
  stream: 'that it gets text as it comes (stream):',
  leftBehind: 'its "leftBehind"',
  prestart: 'its "prestart"',
  cwd: 'its folder',
  loopLimit: 'its limit of rounds',
};
