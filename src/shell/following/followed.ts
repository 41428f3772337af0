/** A program or script that a command starts by a literal name. */
export interface Started {
  readonly name: string;
  /** Each path that the name may refer to; none for a program that is searched for on the PATH. */
  readonly paths: readonly string[];
  /** The interpreter that runs it; undefined if it is run directly. */
  readonly by?: string;
  /** The script of the project that starts it; undefined for the hook's own command. */
  readonly inside?: string;
  /** The code goes on as it should without it, or starts it only on some systems. */
  readonly isOptional?: true;
}

/** How a command uses the files around it. */
export interface Followed {
  /** Files that it runs or passes on, by each path that their names may refer to. */
  readonly scripts: ReadonlySet<string>;
  /** Files that it only reads. */
  readonly data: ReadonlySet<string>;
  /** Files that it writes to. */
  readonly written: ReadonlySet<string>;
  /** Files that say what a program runs that it starts, such as a Makefile. */
  readonly manifests: ReadonlySet<string>;
  /** Patterns whose matching files it runs. */
  readonly patterns: ReadonlySet<string>;
  /** What cannot be followed and why, one sentence each. */
  readonly unfollowed: readonly string[];
  /** What it starts by a literal name. */
  readonly started: readonly Started[];
  /** Programs and files that it looks for before it uses them. */
  readonly lookedFor: ReadonlySet<string>;
  /** Code that could not be followed may define functions, or change where programs are found. */
  readonly definesUnknown: boolean;
}
