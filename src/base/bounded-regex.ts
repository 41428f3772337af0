import { HookmachineError } from './errors.ts';

/** How long all regular expressions that share a budget may take in total, in ms. */
const budgetLimit = 100;

/** How long a single one may take, in ms, so that the others get their turn. */
const testLimit = 50;

/**
 * A test that cannot take more steps than this needs no watchdog, which costs 40 µs. Tests that
 * together take no more need no clock either.
 */
const quickSteps = 1_000_000;

/** Compiling a character takes about as long as this many steps. */
const stepsPerCharacter = 20;

/** V8 cannot be interrupted while it compiles, so expressions that would take long are not tried. */
const most = { characters: 64 * 1024, groups: 100, quantifiers: 400, counted: 60, ways: 500_000 };

/** Whether a text is a valid regular expression. */
export function isRegex(source: string): boolean {
  try {
    return Boolean(new RegExp(source));
  } catch {
    return false;
  }
}

/** Thrown when a regular expression cannot be decided in time, so that it never stalls the agent. */
export class RegexUndecidedError extends HookmachineError {
  override readonly name = 'RegexUndecidedError';
  constructor(message: string, options?: ErrorOptions) {
    super('REGEX_UNDECIDED', message, options);
  }
}

/** The time budget for users' regular expressions. All of one level of authority share it for an event. */
export class RegexBudget {
  readonly #limit: number;
  readonly #each: number;
  readonly #outcomes = new Map<string, boolean | RegexUndecidedError>();
  #text: string | undefined;
  #quickLeft = quickSteps;
  #endsAt: bigint | undefined;

  /** `limit` is the time in ms for all together, `each` that for a single one. */
  constructor(limit = budgetLimit, each = testLimit) {
    this.#limit = limit;
    this.#each = each;
  }

  /**
   * Whether an expression matches a text, unanchored. A text that is not a regular expression is compared
   * letter by letter. V8 backtracks: without a budget, a user's `^(a+)+$` and a
   * crafted name could freeze the agent.
   *
   * @throws {RegexUndecidedError} when there is no time left, when it alone took too long, or when it is
   *   too much for V8
   */
  test(source: string, text: string): boolean {
    // The clock starts with the first test, and changes of the system time do not affect it.
    this.#endsAt ??= process.hrtime.bigint() + BigInt(this.#limit) * 1_000_000n;
    if (text !== this.#text) this.#outcomes.clear();
    this.#text = text;
    const outcome = this.#outcomes.get(source) ?? this.#decide(source, text);
    this.#outcomes.set(source, outcome);
    if (typeof outcome === 'boolean') return outcome;
    throw outcome;
  }

  #decide(source: string, text: string): boolean | RegexUndecidedError {
    const undecided = (why: string, cause?: unknown): RegexUndecidedError =>
      new RegexUndecidedError(`/${shortened(source)}/: ${why}`, { cause });
    if (takesLongToCompile(source)) return undecided('is too large');
    const steps = stepsAtMost(source, text.length) + source.length * stepsPerCharacter;
    const isQuick = steps <= quickSteps;
    let left = Infinity;
    if (steps <= this.#quickLeft) this.#quickLeft -= steps;
    else left = Number(this.#endsAt! - process.hrtime.bigint()) / 1e6;
    if (left < 1) return undecided(`no time was left of the ${this.#limit} ms for all expressions`);
    let regex: RegExp;
    try {
      regex = new RegExp(source);
    } catch {
      return source === text;
    }
    const limit = Math.floor(Math.min(left, this.#each));
    try {
      return isQuick ? regex.test(text) : inTime(() => regex.test(text), limit);
    } catch (cause) {
      const { message } = cause as Error;
      return undecided(
        tookTooLong(cause) ? `took more than ${limit} ms` : shortened(message),
        cause,
      );
    }
  }
}

const shortened = (text: string): string => (text.length > 400 ? `${text.slice(0, 397)}...` : text);

/**
 * An upper bound: each quantifier may try every length from every start, and each group all its
 * alternatives. A quantified group may repeat that for every character.
 */
function stepsAtMost(source: string, length: number): number {
  if (/\)[*+?{]/.test(source)) return Infinity;
  const count = (pattern: RegExp): number => source.match(pattern)?.length ?? 0;
  const groups = count(/\(/g);
  const alternatives = groups === 0 ? 1 : (count(/\|/g) / groups + 1) ** groups;
  return (length + 1) ** (count(/[*+?{]/g) + 1) * alternatives;
}

/**
 * V8 unrolls counted groups, and compiles what follows a group again for each way through it. This
 * computes an upper bound of the ways: the mean of some factors, to the power of their number, is never
 * less than their product.
 */
function takesLongToCompile(source: string): boolean {
  if (source.length > most.characters) return true;
  const count = (pattern: RegExp): number => source.match(pattern)?.length ?? 0;
  const groups = count(/\(/g);
  const quantifiers = count(/[*+{]|(?<!\()\?/g);
  if (groups > most.groups || quantifiers > most.quantifiers) return true;
  if (count(/[{]|(?<!\()\?/g) > most.counted) return true;
  // Groups that always consume a character are compiled once.
  if (groups === 0 || (quantifiers === 0 && !/[(:|]\||\|\)/.test(source))) return false;
  const copies = 3 ** count(/\)\{/g) * 2 ** count(/\)\+/g);
  return ((count(/\|/g) + quantifiers) / groups + 1) ** (groups * copies) > most.ways;
}

/**
 * Runs work that regular expressions may slow down, in bounded time: V8 backtracks, and an `(a+)+$` that
 * somebody wrote in haste would otherwise freeze the agent. Each call costs a watchdog thread.
 *
 * @throws an error for which `tookTooLong` returns true, if the work is abandoned
 */
export function inTime<Result>(work: () => Result, limit: number): Result {
  watched ??= watchdog();
  const { context, script } = watched;
  const before = context['work'];
  context['work'] = work;
  try {
    return script.runInContext(context, { timeout: limit }) as Result;
  } finally {
    // The work would otherwise keep everything it refers to in memory.
    context['work'] = before;
  }
}

/** Whether work was abandoned. The error comes from the other context, whose `Error` is not ours. */
export const tookTooLong = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

function watchdog() {
  const { createContext, Script } = process.getBuiltinModule('node:vm');
  const context: Record<string, unknown> = createContext({});
  return { context, script: new Script('work()') };
}

let watched: ReturnType<typeof watchdog> | undefined;
