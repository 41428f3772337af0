/** What a finding is about. */
export type FindingCode =
  | 'no-entries'
  | 'entries-missing'
  | 'entries-edited'
  | 'entries-twice'
  | 'file-unreadable'
  | 'file-ignored'
  | 'hooks-off'
  | 'command-foreign'
  | 'command-gone'
  | 'command-not-executable'
  | 'command-fails'
  | 'command-hangs'
  | 'serve-down'
  | 'token-missing'
  | 'never-seen'
  | 'version-unknown'
  | 'version-newer'
  | 'folder-untrusted'
  | 'entry-untrusted'
  | 'entry-changed'
  | 'entry-switched-off'
  | 'timeout-short'
  | 'other-hook'
  | 'canary-ran'
  | 'canary-unclear'
  | 'node-gone'
  | 'node-wrong'
  | 'no-hooks'
  | 'untrusted'
  | 'hooks-switched-off'
  | 'settings-wrong';

/** Something that the doctor found: `off` if guards do not run, `warning` if that may happen. */
export interface Finding {
  readonly code: FindingCode;
  readonly level: 'off' | 'warning';
  /** The agent; absent for what concerns all agents. */
  readonly agent?: string;
  readonly file?: string;
  readonly message: string;
  /** What to do, as an instruction or a command. */
  readonly fix?: string;
}
