/** Something that reads what strangers wrote. */
export interface Target {
  /** Its name on the command line, and the folder of its corpus. */
  readonly name: string;
  /** Words of its language, which chance alone would not find. */
  readonly words: readonly string[];
  /** Throws, or breaks a promise, only when it is broken. Whatever it makes is its own to clean up. */
  run(input: string): void | Promise<void>;
  /** Files and folders it made. */
  close?(): void;
}

/** What a target promised, and did not keep. */
export function promise(kept: boolean, what: string): asserts kept {
  if (!kept) throw new Error(`not kept: ${what}`);
}
