import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Coverage } from './coverage.ts';
import { dice, mutate } from './mutate.ts';
import type { Target } from './target.ts';

/** The results of a run of the fuzzer. */
interface Fuzzed {
  readonly tried: number;
  /** Parts of our code that ran. */
  readonly covered: number;
  /** How many inputs reached a part that no other had. */
  readonly kept: number;
  /** The smallest input found that broke the target, and how it did. */
  readonly broken?: { readonly input: string; readonly error: unknown };
}

interface FuzzOptions {
  /** The minimum number of inputs tried after the corpus; default: as many as the time allows. */
  readonly inputs?: number;
  readonly milliseconds?: number;
  readonly seed: number;
  /** Adds inputs that reached new parts to the corpus. */
  readonly grow?: boolean;
}

/** Asking V8 what ran costs as much as many inputs do, so it is asked once per this many. */
const batch = 50;

/** An input that takes longer than this hangs the target, in ms of CPU time. */
const hang = 5_000;

const corpora = fileURLToPath(new URL('corpus/', import.meta.url));

/** The inputs that every run begins with. */
export function corpusOf({ name }: Pick<Target, 'name'>): string[] {
  const folder = join(corpora, name);
  return readdirSync(folder)
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

/**
 * Tries a target with its corpus, then with what grows out of it: inputs that make code run that no other
 * made run are kept, and mutated further. Ends after this many inputs, when the time is up, or with the first
 * input that breaks the target.
 */
export async function fuzz(
  target: Target,
  { inputs: most = Infinity, milliseconds = Infinity, seed, grow }: FuzzOptions,
): Promise<Fuzzed> {
  const roll = dice(seed);
  const coverage = new Coverage();
  const pool = corpusOf(target);
  const until = Date.now() + milliseconds;
  let tried = 0;
  let kept = 0;
  const result = (broken?: Fuzzed['broken']): Fuzzed => ({
    tried,
    kept,
    covered: coverage.size,
    ...(broken && { broken }),
  });
  try {
    for (const input of pool) {
      tried += 1;
      const error = await failure(target, input);
      if (error) return result(await smallest(target, input, error));
    }
    coverage.remember(coverage.news());
    const enough = pool.length + most;
    while (tried < enough && Date.now() < until) {
      const inputs = Array.from({ length: batch }, () =>
        mutate(pool[roll(pool.length)] ?? '', pool[roll(pool.length)] ?? '', target.words, roll),
      );
      for (const input of inputs) {
        tried += 1;
        const error = await failure(target, input);
        if (error) return result(await smallest(target, input, error));
      }
      // A batch that made anything new run is tried again one by one, to find out which inputs did it.
      const opened = coverage.news();
      for (const input of inputs) {
        if (opened.size === 0) break;
        await failure(target, input);
        const news = coverage.news();
        if (news.size === 0) continue;
        for (const part of news) opened.delete(part);
        coverage.remember(news);
        pool.push(input);
        kept += 1;
        if (grow) keep(target, input);
      }
      // What ran only once, such as filling a cache, is not credited to any input.
      coverage.remember(opened);
    }
    return result();
  } finally {
    coverage.close();
    target.close?.();
  }
}

/** How the target broke on an input; undefined if it did not. */
async function failure(
  target: Target,
  input: string,
): Promise<{ readonly error: unknown } | undefined> {
  const before = process.cpuUsage();
  try {
    await target.run(input);
  } catch (error) {
    return { error };
  }
  // Elapsed time would say nothing on a busy machine.
  const { user, system } = process.cpuUsage(before);
  const took = (user + system) / 1_000;
  return took > hang ? { error: new Error(`it took ${took} ms`) } : undefined;
}

/** Removes as much of the input as is not needed to break the target. */
async function smallest(
  target: Target,
  input: string,
  found: { readonly error: unknown },
): Promise<NonNullable<Fuzzed['broken']>> {
  let least = input;
  let { error } = found;
  for (
    let size = Math.ceil(least.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let at = 0; at < least.length;) {
      const shorter = least.slice(0, at) + least.slice(at + size);
      const still = await failure(target, shorter);
      if (still) ({ error } = still);
      if (still) least = shorter;
      else at += size;
    }
  return { input: least, error };
}

function keep({ name }: Target, input: string): void {
  const folder = join(corpora, name);
  mkdirSync(folder, { recursive: true });
  const file = createHash('sha256').update(input).digest('hex').slice(0, 12);
  writeFileSync(join(folder, `${file}.txt`), input);
}

/** A finding for a human reader: what broke, and how to reproduce it. */
export const describeBroken = (
  { name }: Target,
  { input, error }: NonNullable<Fuzzed['broken']>,
): string =>
  `${name} breaks on ${JSON.stringify(input)}: ${inspect(error)}\nput that input into fuzz/corpus/${name}/ to have it tried first from now on`;
