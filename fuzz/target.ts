/** Something that reads what strangers wrote. */
export interface Target {
  /** Its name on the command line, and the folder of its corpus. */
  readonly name: string;
  /** Words of its language that chance alone would not find. */
  readonly words: readonly string[];
  /** Throws, or breaks a promise, only if the target is broken. It must clean up whatever it creates. */
  run(input: string): void | Promise<void>;
  /** Removes files and folders that it created. */
  close?(): void;
}

/** Checks something that a target promises; throws if the promise is broken. */
export function promise(kept: boolean, what: string): asserts kept {
  if (!kept) throw new Error(`not kept: ${what}`);
}
