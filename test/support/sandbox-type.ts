/** A test's own project, home and administrator's file: no settings of this machine take part. */
export interface Sandbox {
  readonly folder: string;
  readonly project: string;
  readonly home: string;
  /** The folder of administrators' settings, in place of the machine's. */
  readonly systemFolder: string;
  /** The environment that a process needs to run in the sandbox. */
  readonly env: Readonly<Record<string, string>>;
  /** The settings files; none of them exists yet. */
  readonly files: Readonly<Record<'project' | 'user' | 'system', string>>;
  /** Our own settings files. */
  readonly own: Readonly<Record<'project' | 'user' | 'system', string>>;
  /** Writes a file of the sandbox, with its folders; anything that is not a text is written as JSON. */
  readonly write: (file: string, content: unknown) => string;
}
