/** Where a command takes effect: on this machine, in a container that is thrown away, or on another machine. */
export type Where = 'here' | 'container' | 'remote';

interface Common {
  /** The simple command that does it, as it would run. */
  readonly by: string;
  readonly where: Where;
}

/** What a command does to a file. */
export type FileAction =
  | 'read'
  | 'delete'
  | 'write'
  | 'append'
  | 'edit'
  | 'move'
  | 'mode'
  | 'link'
  | 'lock';

/** A program that would be started. */
export interface RunEffect extends Common {
  readonly kind: 'run';
  /** The program's name without its folder. */
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The programs that start it, outermost first: `sudo`, `xargs`. */
  readonly via: readonly string[];
  /** What it reads on stdin, as far as it is known. */
  readonly stdin: string;
  /** The variables that are set for it. */
  readonly env: Readonly<Record<string, string>>;
}

/** A file that would be read or changed. */
export interface FileEffect extends Common {
  readonly kind: 'file';
  readonly action: FileAction;
  /** Absolute, if the folder is known. It may contain marks. */
  readonly path: string;
  /** Whether it is about everything below the path too. */
  readonly isTree: boolean;
  /** What would be written, as far as it is known. */
  readonly text?: string;
  /** The mode, for `mode`. */
  readonly mode?: string;
}

/** Something that would leave this machine. */
export interface SendEffect extends Common {
  readonly kind: 'send';
  readonly to: string;
  /** What is sent, as far as it is known. */
  readonly text: string;
}

/** Code that would run and cannot be read here. */
export interface CodeEffect extends Common {
  readonly kind: 'code';
  /** The code, with marks for what is not known. */
  readonly text: string;
  readonly language: string;
}

/** Something that would be printed, and so shown to the model. */
export interface PrintEffect extends Common {
  readonly kind: 'print';
  readonly text: string;
}

/** A statement that a database would run. */
export interface QueryEffect extends Common {
  readonly kind: 'query';
  readonly language: 'sql' | 'mongo' | 'redis';
  /** The program that passes it on. */
  readonly program: string;
  readonly text: string;
}

/** A part of the command that is not understood. */
export interface LostEffect extends Common {
  readonly kind: 'lost';
  readonly why: string;
}

/** One thing that a command would do. */
export type Effect =
  | RunEffect
  | FileEffect
  | SendEffect
  | CodeEffect
  | PrintEffect
  | QueryEffect
  | LostEffect;

/** What a command would do, in order. */
export interface Reading {
  readonly effects: readonly Effect[];
  /** What it prints, as far as that is known. */
  readonly output: string;
}
