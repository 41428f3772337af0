/** A program or a script that a command starts, by a name that stands in it literally. */
export interface Started {
  readonly name: string;
  /** Each path that the name may lead to; none for a program that is looked for on the PATH. */
  readonly paths: readonly string[];
  /** The interpreter that is given it; undefined where it is run itself. */
  readonly by?: string;
}

/** What a command has to do with the files around it. */
export interface Followed {
  /** Files that it runs or hands on, by each path that their names may lead to. */
  readonly scripts: ReadonlySet<string>;
  /** Files that it only reads. */
  readonly data: ReadonlySet<string>;
  /** Files that it writes to. */
  readonly written: ReadonlySet<string>;
  /** Folders beyond the project whose files it may run. */
  readonly beyond: ReadonlySet<string>;
  /** What cannot be followed, and why, a sentence each. */
  readonly unfollowed: readonly string[];
  /** What it starts by a literal name. */
  readonly started: readonly Started[];
}
