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
}
