import type { CallKeeper } from '../../core/calls/call-keeper.ts';
import type { SuspendedToolCall } from '../../agent/loop/chat-events.ts';
import { createConfig, type CreateConfigOptions } from '../../hosts/system/create-config.ts';
import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import type { WarningSink } from '../../base/log.ts';

/**
 * Options of every adapter. If neither `isTrustedFolder` nor `checkTrust` is given, the host has decided for
 * itself that it trusts the project, and its hooks run.
 */
export interface AdapterOptions extends Pick<
  CreateConfigOptions,
  | 'settings'
  | 'isTrustedFolder'
  | 'checkTrust'
  | 'verifyTrust'
  | 'dialects'
  | 'onUnready'
  | 'inspect'
  | 'watch'
> {
  /** The project folder whose hooks run; default: the current working directory. */
  readonly cwd?: string;
  /** Shares one hook system between adapters; the options that would configure one are then not read. */
  readonly config?: HookSystemConfig;
  /**
   * Keeps tool calls beyond this process, see `connectDurable` of `hookmachine/durable`; its config is then
   * the one that is used. A conversation is recognized by its `sessionId`, so that must be given.
   */
  readonly durable?: CallKeeper<HookSystemConfig>;
  /** Receives each call that waits for an answer in the database of `durable`. */
  readonly onSuspended?: (call: SuspendedToolCall) => void;
  /**
   * The session of the hooks; a function is called for every model call, for a server with many
   * conversations. Default: one session for all.
   */
  readonly sessionId?: string | (() => string);
  /** Receives warnings, one line each; default stderr. */
  readonly onWarning?: WarningSink;
  /** Receives the reason, for the user, when a hook stops a run. */
  readonly onStop?: (reason: string) => void;
  /** Receives what was denied, for the user; the model reads the reason anyway. */
  readonly onBlocked?: (blocked: BlockedCall) => void;
  /** Receives what hooks say to the user alone; default: a warning. */
  readonly onNotice?: (notice: string) => void;
  /**
   * Called once, with the names of the AfterModel hooks that the text of streamed answers waits for. Must not
   * throw.
   */
  readonly onTextWaits?: (hooks: readonly string[]) => void;
  /** How often AfterAgent hooks may make the agent continue in one turn; default 8. */
  readonly maxRejections?: number;
  readonly tools?: {
    /** The name by which hooks know a tool, by the framework's name, such as `{ Write: 'write_file' }`. */
    readonly alias?: Readonly<Record<string, string>>;
  };
}

/** @throws {TypeError} if calls are to be kept by an adapter whose framework cannot wait for an answer */
export function refuseDurable({ durable }: AdapterOptions, framework: string): void {
  if (durable !== undefined)
    throw new TypeError(
      `${framework} cannot wait for answers in a database: leave \`durable\` out`,
    );
}

/** Why a turn ends although hooks want the agent to continue. */
export const tooManyRounds = (limit: number): string =>
  `AfterAgent: hooks wanted the agent to continue more than ${limit === 1 ? 'once' : `${limit} times`} in a turn, so the turn ends`;

/** What a hook denied. */
export interface BlockedCall {
  /** The tool; absent for a prompt or a model call. */
  readonly tool?: string;
  readonly reason: string;
}

/** Whether an adapter's config is its own, to be disposed with it. */
export const isOwn = ({ config, durable }: AdapterOptions): boolean =>
  config === undefined && durable === undefined;

/** The config of an adapter: the host's, or its own, without the hooks that the framework runs itself. */
export function configOf(options: AdapterOptions, hostDialect?: string): HookSystemConfig {
  const { durable } = options;
  if (durable && options.config && options.config !== durable.config)
    throw new TypeError('`durable` already has a different config: leave `config` out');
  const given = options.config ?? durable?.config;
  if (given) return given;
  const { cwd = process.cwd(), sessionId } = options;
  const {
    settings,
    isTrustedFolder,
    checkTrust,
    verifyTrust,
    dialects,
    onUnready,
    inspect,
    watch,
    onWarning,
  } = options;
  return createConfig({
    cwd,
    ...(settings && { settings }),
    ...(isTrustedFolder && { isTrustedFolder }),
    ...(checkTrust && { checkTrust }),
    ...(verifyTrust && { verifyTrust }),
    ...(dialects && { dialects }),
    ...(onUnready && { onUnready }),
    ...(inspect && { inspect }),
    ...(watch !== undefined && { watch }),
    ...(onWarning && { onWarning }),
    hostDialect,
    ...(typeof sessionId === 'string' && { sessionId }),
  });
}
