import type { HookFunction, LeftBehind, Shell, TlsFiles } from '../../../machines/hook-process.ts';
import type { HookEventName, HookSource } from '../protocol/events.ts';

/** The types of hooks. */
export type HookType =
  | 'command'
  | 'live'
  | 'module'
  | 'http'
  | 'prompt'
  | 'cedar'
  | 'acs'
  | 'function'
  | 'plugin';

/** A signed bundle that provides hooks. */
export interface HookBundle {
  readonly name: string;
  readonly version: string;
  /** Who signed it. */
  readonly signer: string;
  /** Checks the bundle's files as they are now and returns why its hooks may no longer start, if so. */
  readonly fault: () => { readonly why: string; readonly fix: string } | undefined;
}

/** One hook as its dialect found it, in settings or by asking an executable. */
export interface HookDefinition {
  readonly event: HookEventName;
  /** The dialect's name for the event; absent if it is the same as ours. */
  readonly nativeEvent?: string;
  readonly type: HookType;
  /**
   * What it runs, as the user wrote it: the shell command, or with `args` a program's file; the URL; the
   * module's path; the prompt; the policies' path; the function's name. '' for a plugin.
   */
  readonly command: string;
  /** The arguments of a program that is started without a shell. */
  readonly args?: readonly string[];
  /** The headers of an `http` hook's request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The environment variables that its headers may use. */
  readonly allowedEnv?: readonly string[];
  /** The dialect's name for that list; default: `allowedEnv`. */
  readonly allowedEnvKey?: string;
  /** The URLs that it may post to; `*` matches any text. A host named here may have a private address. */
  readonly allowedUrls?: readonly string[];
  /** How often an `http` hook retries a server that is unavailable. */
  readonly retries?: number;
  /** The file that holds the token of an `http` hook's `Authorization` header. */
  readonly tokenFile?: string;
  /**
   * The certificate files of an `http` hook: those that its server is checked against, and the client's own.
   */
  readonly tls?: TlsFiles;
  /** The model that a `prompt` hook asks; default: the host's choice. */
  readonly model?: string;
  /** How many events a `live` hook handles at once; default 1. */
  readonly concurrency?: number;
  /**
   * Set for an AfterModel hook that receives the answer's text as it streams in. It may hold back up to
   * `holdBack` characters.
   */
  readonly stream?: { readonly holdBack: number };
  /** What an `acs` hook calls the agent; default: `hookmachine`. */
  readonly agent?: string;
  /** The file of the secret with which an `acs` hook's messages are signed. */
  readonly secretFile?: string;
  /** The Cedar schema that a `cedar` hook's policies are checked with; default: ours. */
  readonly schema?: string;
  /** The file of entities that a `cedar` hook's policies may refer to. */
  readonly entities?: string;
  /** Set for a `cedar` hook that denies what no policy permits. */
  readonly default?: 'deny';
  /** The names that a `cedar` hook's policies have for principals, actions and resources; default: ours. */
  readonly request?: {
    readonly principal?: string | undefined;
    readonly action?: string | undefined;
    readonly resource?: string | undefined;
  };
  /** The function that a `function` hook calls, or that judges by a `cedar` hook's policies. */
  readonly call?: HookFunction;
  /** The folder that it runs in, relative to the project folder; default: the project folder. */
  readonly cwd?: string;
  /** The shell that runs the command; default: bash if available. */
  readonly shell?: Shell;
  /** A permission rule that a call must match as well as the matcher. */
  readonly if?: string;
  /** It runs only once per session. */
  readonly once?: true;
  /** Running it again for the same event does no harm. */
  readonly idempotent?: true;
  /** It is started but not waited for. */
  readonly async?: true;
  /** It is not waited for, but its exit code 2 is still reported to the model. */
  readonly wakes?: true;
  /** `name` from the settings, or else the command: its id in messages and for enabling. */
  readonly name: string;
  readonly description?: string;
  /** Deadline in ms. */
  readonly timeout: number;
  /** How many times in a row it may make the agent continue; default: no limit. */
  readonly loopLimit?: number;
  /**
   * What a failure of the hook means; default: the operation continues, unless a stronger level says
   * otherwise.
   */
  readonly onFailure?: 'block';
  /** Its author wrote that the operation continues after a failure. No default changes that. */
  readonly failsOpen?: true;
  /**
   * A stronger level's default made it block: that is not part of what its author wrote, nor of what was
   * trusted.
   */
  readonly inheritsOnFailure?: true | undefined;
  /** What happens to processes that it leaves behind when it ends in time; default: `end-group`. */
  readonly leftBehind?: LeftBehind;
  /** It denies in place of hooks that are unknown, until what is wrong with them is fixed. */
  readonly standsIn?: true;
  /** It does nothing before it has read its input, so it may be started early. */
  readonly prestart?: true;
  readonly matcher?: string;
  /** Whether its group runs its hooks in sequence. */
  readonly sequential: boolean;
  readonly source: HookSource;
  /** The settings file, if it came from one. */
  readonly file?: string;
  /** Its path in the settings, such as `hooks.BeforeTool[0].hooks[1]`. */
  readonly place: string;
  /** The signed bundle that it belongs to. */
  readonly bundle?: HookBundle;
  /** Variables that the command may use besides the project's, such as an extension's `extensionPath`. */
  readonly env: Readonly<Record<string, string>>;
}

/** A hook as the registry holds it. */
export interface RegisteredHook extends HookDefinition {
  /** The name of its dialect. */
  readonly dialect: string;
  readonly enabled: boolean;
}

/** A hook whose event is unknown, or does not matter. */
export type UnaskedHook = Omit<HookDefinition, 'event'>;
