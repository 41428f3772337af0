import type { HookFunction, LeftBehind, Shell, TlsFiles } from '../../machines/hook-process.ts';
import type { HookEventName, HookSource } from '../protocol/events.ts';

/** What a hook can be. */
export type HookType = 'command' | 'live' | 'module' | 'http' | 'prompt' | 'function' | 'plugin';

/** A signed bundle that brings hooks. */
export interface HookBundle {
  readonly name: string;
  readonly version: string;
  /** Who signed it. */
  readonly signer: string;
  /** It was changed when it was found: of its hooks only those stand here whose failure denies. */
  readonly isRefused?: true;
  /** Why its hooks may not start any more, by what its files are like now. */
  readonly fault: () => { readonly why: string; readonly fix: string } | undefined;
}

/** One hook definition as the registry holds it. */
export interface HookDefinition {
  readonly event: HookEventName;
  /** What its dialect calls the event; absent where that is our name of it. */
  readonly nativeEvent?: string;
  readonly type: HookType;
  /**
   * What it runs, as the user wrote it: the shell command, or with `args` a program's file; the URL; the
   * module's path; the prompt; the function's name. '' for a plugin.
   */
  readonly command: string;
  /** The arguments of a program that is started without a shell. */
  readonly args?: readonly string[];
  /** The headers of an `http` hook's request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The variables of the environment that its headers may use. */
  readonly allowedEnv?: readonly string[];
  /** What its dialect calls that list; default: `allowedEnv`. */
  readonly allowedEnvKey?: string;
  /** The URLs that it may post to, `*` being any text; a host named here may have a private address. */
  readonly allowedUrls?: readonly string[];
  /** How often an `http` hook asks a server again that is away. */
  readonly retries?: number;
  /** The file that holds the token of an `http` hook's `Authorization` header. */
  readonly tokenFile?: string;
  /** The files that say who an `http` hook's server must be, and who asks. */
  readonly tls?: TlsFiles;
  /** The model that a `prompt` hook asks; default: the host's choice. */
  readonly model?: string;
  /** How many events a `live` hook works on at once; default 1. */
  readonly concurrency?: number;
  /** An AfterModel hook that gets the answer's text as it comes, and may hold back so many characters of it. */
  readonly stream?: { readonly holdBack: number };
  /** What a `function` hook calls. */
  readonly call?: HookFunction;
  /** The folder that it runs in, from the project's; default: the project's own. */
  readonly cwd?: string;
  /** The shell that runs the command; default: bash where there is one. */
  readonly shell?: Shell;
  /** The permission rule that says which calls it is for, beside its matcher. */
  readonly if?: string;
  /** It runs once a session. */
  readonly once?: true;
  /** To start it again for the same event does no harm. */
  readonly idempotent?: true;
  /** It is started and not waited for. */
  readonly async?: true;
  /** Of one that is not waited for: its exit 2 is reported to the model all the same. */
  readonly wakes?: true;
  /** `name` of the settings, else the command: the id for messages and for enabling (C-03). */
  readonly name: string;
  readonly description?: string;
  /** Deadline in ms. */
  readonly timeout: number;
  /** How often in a row it may send the agent on; default: as often as it likes. */
  readonly loopLimit?: number;
  /** What a failure of the hook means; default: the operation goes on, unless a stronger level says otherwise. */
  readonly onFailure?: 'block';
  /** Its author wrote that a failure lets the operation go on, which no default changes. */
  readonly failsOpen?: true;
  /** A stronger level's default made it block: that is no part of what its author wrote, and of what was trusted. */
  readonly inheritsOnFailure?: true | undefined;
  /** What becomes of processes that it leaves when it ended in time; default: `end-group`. */
  readonly leftBehind?: LeftBehind;
  /** It does nothing before it has read its input. */
  readonly prestart?: true;
  readonly matcher?: string;
  /** Whether its group asked for a sequence. */
  readonly sequential: boolean;
  readonly source: HookSource;
  /** The settings file, when it came from one. */
  readonly file?: string;
  /** Where in the settings, such as `hooks.BeforeTool[0].hooks[1]`. */
  readonly place: string;
  /** The signed bundle that it is a part of. */
  readonly bundle?: HookBundle;
  /** Variables the command may use beyond the project's, such as an extension's `extensionPath`. */
  readonly env: Readonly<Record<string, string>>;
}

/** A hook definition as the registry holds it. */
export interface RegisteredHook extends HookDefinition {
  /** The name of its dialect. */
  readonly dialect: string;
  readonly enabled: boolean;
}

/** A hook that may not be asked for its event. */
export type UnaskedHook = Omit<HookDefinition, 'event'>;
