/** A program or script that a command starts by a literal name. */
export interface Started {
  readonly name: string;
  /** Each path that the name may refer to; none for a program that is searched for on the PATH. */
  readonly paths: readonly string[];
  /** The interpreter that runs it; undefined if it is run directly. */
  readonly by?: string;
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
}
