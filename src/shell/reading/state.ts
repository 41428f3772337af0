import type { SyntaxNode } from 'unbash';
import type { Disk } from './disk.ts';
import type { Where } from './effects.ts';
import { secretMark, unknownMark } from './marks.ts';

/** What is known where a command would run. */
export interface Surroundings {
  readonly cwd: string;
  /** The project's folder. */
  readonly project: string;
  readonly home: string;
  /** The environment. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly disk: Disk;
  /** Whether a file holds secrets, by its path. */
  readonly isSecretFile: (path: string) => boolean;
}

/** Matches names of variables that hold secrets. */
export const secretName =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PWD_SECRET|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|AUTH)(?:_|$)|(?:TOKEN|SECRET|PASSWORD|APIKEY|_KEY)$/i;

const mostAlternatives = 6;

/** What a shell knows at one point of a command: its variables, its folder, the files that were written. */
export class ShellState {
  readonly around: Surroundings;
  /** The values that a variable may have: several, where branches give it different ones. */
  readonly variables: Map<string, readonly string[]>;
  readonly arrays: Map<string, readonly string[]>;
  readonly functions: Map<string, SyntaxNode>;
  readonly aliases: Map<string, string>;
  /** The files that the command itself wrote, and the links that it made. */
  readonly files: Map<string, string>;
  readonly links: Map<string, string>;
  /** Folders of this machine that a container has under other names. */
  mounts: ReadonlyMap<string, string>;
  positional: readonly string[] = [];
  /** What `$0` stands for. */
  self = 'bash';
  /** The folders that it may be in. */
  folders: readonly string[];
  /** The folders that it stays in if the last `cd` fails. */
  whereLeft: readonly string[] = [];
  /** Whether it has ended. */
  hasEnded = false;
  stopsOnError = false;
  where: Where = 'here';
  via: readonly string[] = [];

  constructor(around: Surroundings, from?: ShellState) {
    this.around = around;
    this.variables = new Map(from?.variables);
    this.arrays = new Map(from?.arrays);
    this.functions = new Map(from?.functions);
    this.aliases = new Map(from?.aliases);
    this.files = from?.files ?? new Map();
    this.links = from?.links ?? new Map();
    this.mounts = from?.mounts ?? new Map();
    this.folders = from?.folders ?? [around.cwd];
    if (from === undefined) return;
    this.positional = from.positional;
    this.self = from.self;
    this.whereLeft = from.whereLeft;
    this.stopsOnError = from.stopsOnError;
    this.where = from.where;
    this.via = from.via;
  }

  /** A shell that knows the same, and whose changes do not come back: a subshell, or a branch. */
  apart(): ShellState {
    return new ShellState(this.around, this);
  }

  /** Takes over what branches may have changed; those that end the shell have no say. */
  join(branches: readonly ShellState[]): void {
    const alive = branches.filter(({ hasEnded }) => !hasEnded);
    if (alive.length === 0) {
      this.hasEnded = true;
      return;
    }
    for (const name of new Set(alive.flatMap(({ variables }) => [...variables.keys()])))
      this.variables.set(name, distinct(alive.flatMap((branch) => branch.valuesOf(name))));
    for (const branch of alive) {
      for (const [name, values] of branch.arrays) this.arrays.set(name, values);
      for (const [name, body] of branch.functions) this.functions.set(name, body);
      for (const [name, text] of branch.aliases) this.aliases.set(name, text);
    }
    this.folders = distinct(alive.flatMap(({ folders }) => folders));
    this.whereLeft = distinct(alive.flatMap(({ whereLeft }) => whereLeft));
    this.positional = alive[0]!.positional;
    this.stopsOnError = alive.every(({ stopsOnError }) => stopsOnError);
  }

  /** Returns what a variable may be; a variable that nobody set is unknown. */
  valuesOf(name: string): readonly string[] {
    if (name === 'PWD') return this.folders;
    const array = this.arrays.get(name);
    if (array !== undefined) return [array[0] ?? ''];
    const own = this.variables.get(name);
    if (own !== undefined) return own;
    if (name === 'HOME') return [this.around.home];
    if (name === 'IFS') return [' \t\n'];
    if (secretName.test(name)) return [secretMark];
    const given = lasting.has(name) ? this.around.variables[name] : undefined;
    return [given ?? unknownMark];
  }

  set(name: string, values: readonly string[]): void {
    this.arrays.delete(name);
    this.variables.set(name, distinct(values));
  }

  isSet(name: string): boolean {
    return this.variables.has(name) || this.arrays.has(name) || name === 'HOME' || name === 'PWD';
  }
}

/** Variables whose values can be relied on to be the same in a tool's shell. */
const lasting = new Set(['USER', 'LOGNAME', 'TMPDIR', 'SHELL', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME']);

const distinct = (texts: readonly string[]): string[] =>
  [...new Set(texts)].slice(0, mostAlternatives);
