import type { Places } from './places.ts';

/** Variables whose values are known. */
export interface KnownVariables {
  /** By the user's own environment, or by us. */
  readonly own: Readonly<Record<string, string>>;
  /** By the settings that the hook stands in. */
  readonly given: Readonly<Record<string, string>>;
}

/** What is known of the values of a command's variables. */
export class Variables {
  /** A name without a value here has one that cannot be known. */
  readonly #values: Map<string, string | undefined>;
  readonly #places: Places;

  constructor({ own, given }: KnownVariables, places: Places) {
    this.#values = new Map(Object.entries({ ...given, ...own }));
    this.#places = places;
  }

  /** What a variable may be; undefined when that cannot be known. */
  valuesOf(name: string): readonly string[] | undefined {
    const value = this.#values.get(name);
    if (value === undefined) return undefined;
    return name === 'PWD' ? this.#places.folders : [value];
  }

  /** A name that is given a value more than once, or by a loop, has no value that can be relied on. */
  expect(names: ReadonlyMap<string, number>): void {
    for (const [name, times] of names) if (times > 1 || this.#values.has(name)) this.forget(name);
  }

  /** Gives a variable a value, unless other places or the shell itself give it others. */
  set(name: string, value: string | undefined): void {
    if (this.#values.has(name) && this.#values.get(name) === undefined) return;
    if (changing.test(name)) return;
    this.#values.set(name, value);
  }

  /** From now on the value cannot be known. */
  forget(name: string): void {
    this.#values.set(name, undefined);
  }

  /** Forgets all values but those that the user's environment and we set. */
  forgetMost(): void {
    for (const name of this.#values.keys()) if (!lasting.has(name)) this.forget(name);
  }
}

/** Names whose values the user's environment and we set. */
const lasting = new Set([
  'PATH',
  'HOME',
  'PWD',
  'LLXPRT_PROJECT_DIR',
  'GEMINI_PROJECT_DIR',
  'GEMINI_CWD',
  'QWEN_PROJECT_DIR',
  'CLAUDE_PROJECT_DIR',
]);

/** Names that the shell itself gives other values. */
const changing =
  /^(?:_|REPLY|OPTARG|OPTIND|MAPFILE|OLDPWD|PWD|DIRSTACK|RANDOM|SRANDOM|SECONDS|LINENO|EPOCH\w*|COPROC\w*|PIPESTATUS|BASH\w*|FUNCNAME|GROUPS)$/;
