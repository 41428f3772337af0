import type { Effect } from '../../shell/reading/effects.ts';
import type { GuardName } from '../../settings/files/read-guards.ts';
import type { Disk } from '../../shell/reading/disk.ts';

export type { GuardName };

/** What a rule answers: `deny` for what nothing brings back, `ask` for what is dangerous. */
export type RuleAnswer = 'deny' | 'ask';

/** One rule of a guard. */
export interface Rule {
  /** The guard's name and the rule's own: `shell/delete-home`. */
  readonly id: `${GuardName}/${string}`;
  readonly answer: RuleAnswer;
  /** What it is about, as a phrase: "deletes the home folder". */
  readonly about: string;
  readonly why: string;
  /** What to do instead, as an instruction to the agent. */
  readonly instead?: string;
  /** A command that it catches, and a similar one that it lets through. */
  readonly catches: string;
  readonly lets: string;
}

/** What a rule found in a command. */
export interface Finding {
  readonly rule: Rule['id'];
  /** The part of the command. */
  readonly part: string;
  /** What that part does, as a verb phrase: "deletes /etc". */
  readonly does: string;
  /** The path that it is about, for exceptions. */
  readonly path?: string;
}

/** What rules know besides the effect. */
export interface RuleContext {
  readonly project: string;
  readonly home: string;
  readonly disk: Disk;
  /** Path patterns that the settings protect. */
  readonly isProtected: (path: string) => boolean;
  /** Whether hooks, their settings or their scripts are at this path, or below it. */
  readonly isGuarded: (path: string, isTree: boolean) => boolean;
  readonly isSecretFile: (path: string) => boolean;
  /** Everything that the command does. */
  readonly effects: readonly Effect[];
  /** Returns what a repository would lose, as git sees it. */
  readonly stateOf: (
    folder: string,
    paths: readonly string[],
    asks?: StateQuestion,
  ) => Promise<RepositoryState>;
}

/**
 * What is asked of a repository: whether tracked files have changes, whether there are files that it does not
 * track, whether branches (instead of paths) have commits that nothing else names, or only whether it is there.
 */
export type StateQuestion = 'changes' | 'untracked' | 'branches' | 'itself';

/** What is not in any commit of a repository. */
export interface RepositoryState {
  /** No repository is there, so there is nothing to lose; or nothing could be found out. */
  readonly is: 'repository' | 'none' | 'unknown';
  readonly hasChanges: boolean;
  readonly hasUntracked: boolean;
}

/** Looks for what rules speak about. What it yields may have to look at the disk first. */
export type Check = (
  effect: Effect,
  context: RuleContext,
) => Iterable<Finding | Promise<Finding | undefined>>;
