import type { Places } from './places.ts';

/** Variables whose values are known. */
export interface KnownVariables {
  /** Set by the user's own environment, or by us. */
  readonly own: Readonly<Record<string, string>>;
  /** Set by the settings that define the hook. */
  readonly given: Readonly<Record<string, string>>;
}

/** What is known about the values of a command's variables. */
export class Variables {
  /** A name whose entry is undefined has a value that cannot be known. */
  readonly #values: Map<string, string | undefined>;
  readonly #places: Places;
  /** Patterns of all values that variables are given anywhere. */
  readonly #possible = new Map<string, readonly string[]>();

  constructor({ own, given }: KnownVariables, places: Places) {
    this.#values = new Map(Object.entries({ ...given, ...own }));
    this.#places = places;
  }

  /** Returns the possible values of a variable; undefined if they cannot be known. */
  valuesOf(name: string): readonly string[] | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    return name === 'PWD' ? this.#places.folders : [value];
  }

  /** Returns patterns of all values that a variable is given anywhere; undefined if there is none. */
  patternsOf(name: string): readonly string[] | undefined {
    return this.#possible.get(name);
  }

  /** Records patterns of what a variable may be, wherever it is given that value. */
  mayBe(name: string, patterns: readonly string[]): void {
    const all = new Set([...(this.#possible.get(name) ?? []), ...patterns]);
    this.#possible.set(name, [...all].slice(0, mostPatterns));
  }

  /** Follows a process of its own: what it sets does not last. */
  apart(follow: () => void): void {
    const before = new Map(this.#values);
    follow();
    this.#values.clear();
    for (const [name, value] of before) this.#values.set(name, value);
  }

  /** Forgets names that are set more than once or in a loop: their values cannot be relied on. */
  expect(names: ReadonlyMap<string, number>): void {
    for (const [name, times] of names) if (times > 1 || this.#values.has(name)) this.forget(name);
  }

  /** Sets a variable, unless it is also set elsewhere or by the shell itself. */
  set(name: string, value: string | undefined): void {
    if (this.#values.has(name) && this.#values.get(name) === undefined) return;
    if (changing.test(name)) return;
    this.#values.set(name, value);
  }

  /** Marks the value as unknown from now on. */
  forget(name: string): void {
    this.#values.set(name, undefined);
  }

  /** Forgets all values but those that the user's environment and we set. */
  forgetMost(): void {
    for (const name of this.#values.keys()) if (!lasting.has(name)) this.forget(name);
  }
}

const mostPatterns = 40;

/** Names whose values the user's environment and we set. */
const lasting = new Set([
  'PATH',
  'HOME',
  'PWD',
  'HOOKMACHINE_PROJECT_DIR',
  'LLXPRT_PROJECT_DIR',
  'GEMINI_PROJECT_DIR',
  'GEMINI_CWD',
  'QWEN_PROJECT_DIR',
  'CLAUDE_PROJECT_DIR',
]);

/** Matches names whose values the shell itself changes. */
const changing =
  /^(?:_|REPLY|OPTARG|OPTIND|MAPFILE|OLDPWD|PWD|DIRSTACK|RANDOM|SRANDOM|SECONDS|LINENO|EPOCH\w*|COPROC\w*|PIPESTATUS|BASH\w*|FUNCNAME|GROUPS)$/;
