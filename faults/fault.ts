/** What is right to expect of a guard that meets a fault. */
export type Expected =
  /** It said no, and whatever else is wrong, no it is. */
  | 'denial'
  /** It could not say anything that counts: the policy decides, and it is reported to the user. */
  | 'failure'
  /** It said no if it could be run at all. */
  | 'denial or failure'
  /** Nothing is wrong with its answer, which allows. */
  | 'allow';

/** Something that goes wrong with a hook, or around it. */
export interface Fault {
  readonly name: string;
  readonly expected: Expected;
  /** The hook's command. */
  readonly command: string;
  /** Its deadline in ms. */
  readonly timeout?: number;
  /** Only SIGKILL ends it, so the grace is used up. */
  readonly isDeaf?: true;
  /** No signal ends it: it is given up on, named, and ended by whoever made it so. */
  readonly isUnkillable?: true;
  /** What it leaves when it has answered: something in its process group, or only a daemon that left that. */
  readonly leaves?: 'group' | 'daemon';
  /** Whose hook it is; default: the project's. */
  readonly source?: 'system' | 'user';
  /** The host hears nothing for so long, in ms. */
  readonly hostIsBusyFor?: number;
  /** Files of the project; those that begin with `#!`, and empty ones, can be run. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the hook receives of the tool's arguments. */
  readonly toolInput?: () => Record<string, unknown>;
  /** Another folder to run in. */
  readonly cwd?: (folder: string) => string;
  /** Settings of the host that only our engine has. */
  readonly trust?: 'none' | 'lost' | 'swapped';
  /** The settings come from the project's file, and are read again when that changes. */
  readonly fromFile?: true;
  /** The administrator's settings; only with `fromFile`. */
  readonly systemSettings?: string;
  /** Somebody looked at the session, and is gone without a word. */
  readonly isHalfInspected?: true;
  /** Makes it go wrong before any settings are read. */
  readonly setUp?: (home: string) => void;
  /** Makes it go wrong, before the hook starts; what it returns puts the host right again. */
  readonly before?: (folder: string) => (() => void) | void;
  /** Makes it go wrong, a moment after; what it returns puts the host right again. */
  readonly during?: (folder: string) => (() => void) | void;
  /** Nothing has run in the host before. */
  readonly isFirst?: true;
  /** A tool that the fault needs. */
  readonly needs?: string;
}

/** A hook's deadline unless its fault says otherwise, in ms: on a busy machine too it answers long before. */
export const usualTimeout = 20_000;

/** The commands of guards that say no, and of one that allows. */
export const deny = `echo '{"decision":"deny","reason":"no"}'`;
export const denyByCode = 'echo no >&2; exit 2';
export const allow = `echo '{"decision":"allow"}'`;
