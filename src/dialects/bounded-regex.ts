import { inTime, tookTooLong } from '../in-time.ts';
import { HookmachineError } from '../errors.ts';

/** How long all regular expressions that share a budget may take together, in ms. */
const budgetLimit = 100;

/** How long one of them may take, in ms, so that the others get their turn. */
const testLimit = 50;

/** A test that cannot take more steps than this needs no watchdog, which costs 40 µs; and as many all together need no clock. */
const quickSteps = 1_000_000;

/** To compile a character takes about as long as this many steps. */
const stepsPerCharacter = 20;

/** Nobody can interrupt V8 while it compiles, so what would take it long is not tried. */
const most = { characters: 64 * 1024, groups: 100, quantifiers: 400, counted: 60, ways: 500_000 };

/** Whether a text is a regular expression. */
export function isRegex(source: string): boolean {
  try {
    return Boolean(new RegExp(source));
  } catch {
    return false;
  }
}

/** Thrown when a regular expression could not be decided in time; it never stalls the agent. */
export class RegexUndecidedError extends HookmachineError {
  override readonly name = 'RegexUndecidedError';
  constructor(message: string, options?: ErrorOptions) {
    super('REGEX_UNDECIDED', message, options);
  }
}

/** What regular expressions of users are tested with, all of one level of authority together for an event. */
export class RegexBudget {
  readonly #limit: number;
  readonly #each: number;
  readonly #outcomes = new Map<string, boolean | RegexUndecidedError>();
  #text: string | undefined;
  #quickLeft = quickSteps;
  #endsAt: bigint | undefined;

  /** `limit` is the time in ms of all together, and `each` that of one. */
  constructor(limit = budgetLimit, each = testLimit) {
    this.#limit = limit;
    this.#each = each;
  }

  /**
   * Whether an expression fits a text, unanchored; one that is no regular expression is compared letter
   * by letter (HOOK-087, 088; C-17). V8 backtracks, and a user's `^(a+)+$` would otherwise freeze the
   * agent for as long as the name is crafted to take.
   *
   * @throws {RegexUndecidedError} when there is no time left, when it alone took too long, or when it asks too much of V8
   */
  test(source: string, text: string): boolean {
    // The clock runs from the first one on, and no adjustment of the time of day moves it.
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
    if (left < 1) return undecided(`no time was left of ${this.#limit} ms for all`);
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
 * An upper bound: each quantifier may try every length, from every start, and each group its
 * alternatives. A quantified group may do so once more for every character.
 */
function stepsAtMost(source: string, length: number): number {
  if (/\)[*+?{]/.test(source)) return Infinity;
  const count = (pattern: RegExp): number => source.match(pattern)?.length ?? 0;
  const groups = count(/\(/g);
  const alternatives = groups === 0 ? 1 : (count(/\|/g) / groups + 1) ** groups;
  return (length + 1) ** (count(/[*+?{]/g) + 1) * alternatives;
}

/**
 * V8 unrolls groups that are counted, and compiles what follows a group anew for each way through it: an
 * upper bound of these, for the mean of some factors to the power of their number is never less than
 * their product.
 */
function takesLongToCompile(source: string): boolean {
  if (source.length > most.characters) return true;
  const count = (pattern: RegExp): number => source.match(pattern)?.length ?? 0;
  const groups = count(/\(/g);
  const quantifiers = count(/[*+{]|(?<!\()\?/g);
  if (groups > most.groups || quantifiers > most.quantifiers) return true;
  if (count(/[{]|(?<!\()\?/g) > most.counted) return true;
  // Groups that always take a character are compiled once.
  if (groups === 0 || (quantifiers === 0 && !/[(:|]\||\|\)/.test(source))) return false;
  const copies = 3 ** count(/\)\{/g) * 2 ** count(/\)\+/g);
  return ((count(/\|/g) + quantifiers) / groups + 1) ** (groups * copies) > most.ways;
}
