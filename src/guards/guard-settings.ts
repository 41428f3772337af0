import type { GuardName } from './rules/rule.ts';

/** How strict a guard is: its rules' own answers, a question for each of them, or not at all. */
export type GuardStrictness = 'on' | 'ask' | 'off';

/** Something that a rule lets through. */
export interface GuardException {
  /** The rule's id. */
  readonly rule: string;
  /** A path or a pattern of paths that it may be about; default: any. */
  readonly path?: string;
  /** The beginning of the commands that it is for, or with `*` a pattern; default: any. */
  readonly command?: string;
  /** The id of the session that it is for; default: any. */
  readonly session?: string;
  /** Why, for whoever reads it later. */
  readonly why?: string;
}

/** What the settings of one level say about guards. */
export interface GuardSettings {
  readonly strictness: Readonly<Partial<Record<GuardName, GuardStrictness>>>;
  /** Patterns of paths that nothing may change. */
  readonly protect: readonly string[];
  /** Exceptions of this level and of stronger ones. */
  readonly allow: readonly GuardException[];
}
