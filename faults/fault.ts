/** What may rightly be expected of a guard that meets a fault. */
export type Expected =
  /** The guard said no, and whatever else is wrong, the answer stays no. */
  | 'denial'
  /**
   * The guard could not say anything that counts: the policy decides, and the failure is reported to the
   * user.
   */
  | 'failure'
  /** The guard said no, if it could be run at all. */
  | 'denial or failure'
  /** Nothing is wrong with its answer, which allows. */
  | 'allow';

/** Something that goes wrong with a hook or around it. */
export interface Fault {
  readonly name: string;
  readonly expected: Expected;
  /** The hook's command. */
  readonly command: string;
  /** Its deadline in ms. */
  readonly timeout?: number;
  /** Only SIGKILL ends it, so the grace period is used up. */
  readonly isDeaf?: true;
  /** No signal ends it: it is given up on, named, and ended by whoever made it so. */
  readonly isUnkillable?: true;
  /**
   * What is left when it has answered: something in its process group, or only a daemon that left the group.
   */
  readonly leaves?: 'group' | 'daemon';
  /** Whose hook it is; default: the project's. */
  readonly source?: 'system' | 'user';
  /** How long the host's event loop is blocked, in ms. */
  readonly hostIsBusyFor?: number;
  /** Files of the project; those that begin with `#!`, and empty ones, are executable. */
  readonly files?: Readonly<Record<string, string>>;
  /** The tool's arguments that the hook receives. */
  readonly toolInput?: () => Record<string, unknown>;
  /** Another folder to run in. */
  readonly cwd?: (folder: string) => string;
  /** Trust settings of the host, which only our engine has. */
  readonly trust?: 'none' | 'lost' | 'swapped';
  /** The settings come from the project's file, and are reread when it changes. */
  readonly fromFile?: true;
  /** The administrator's settings; only with `fromFile`. */
  readonly systemSettings?: string;
  /** Somebody inspected the session and has silently disappeared. */
  readonly isHalfInspected?: true;
  /** Causes the fault before any settings are read. */
  readonly setUp?: (home: string) => void;
  /** Causes the fault before the hook starts; the returned function repairs the host. */
  readonly before?: (folder: string) => (() => void) | void;
  /** Causes the fault a moment after the hook has started; the returned function repairs the host. */
  readonly during?: (folder: string) => (() => void) | void;
  /** Nothing has run in the host before. */
  readonly isFirst?: true;
  /** A program that the fault needs. */
  readonly needs?: string;
}

/**
 * A hook's deadline unless its fault says otherwise, in ms: even on a busy machine it answers long before.
 */
export const usualTimeout = 20_000;

/** The commands of guards that say no, and of one that allows. */
export const deny = `echo '{"decision":"deny","reason":"no"}'`;
export const denyByCode = 'echo no >&2; exit 2';
export const allow = `echo '{"decision":"allow"}'`;
