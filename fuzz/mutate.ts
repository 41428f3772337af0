/** Numbers from 0 up to, but not including, `below`; the same ones for the same seed. */
type Dice = (below: number) => number;

/** The minimal standard generator. */
export function dice(seed: number): Dice {
  let state = (Math.abs(Math.trunc(seed)) % 2_147_483_646) + 1;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}

/** The longest input that is still cheap to try. */
const longest = 4_096;

const interesting = [
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '""',
  '[]',
  '{}',
  '"__proto__"',
  '"constructor"',
  '\uFEFF',
  '\u0000',
  '\uD800',
  '\u202E',
  '\u001B[2J',
  '\\u0000',
  '\n',
  '\r\n',
  '9'.repeat(20),
  '['.repeat(600),
  '"'.repeat(3),
];

/**
 * Returns an input that resembles this one: cut, doubled, filled, crossed with another, or with a value of
 * its JSON replaced.
 */
export function mutate(input: string, other: string, words: readonly string[], roll: Dice): string {
  let mutated = input;
  for (let rounds = 1 + roll(4); rounds > 0; rounds--) mutated = once(mutated, other, words, roll);
  return mutated.slice(0, longest);
}

function once(input: string, other: string, words: readonly string[], roll: Dice): string {
  const [from, to] = [roll(input.length + 1), roll(input.length + 1)].toSorted(
    (one, two) => one - two,
  ) as [number, number];
  const piece = input.slice(from, to);
  const pick = (list: readonly string[]): string => list[roll(list.length)] ?? '';
  switch (roll(8)) {
    case 0:
      return input.slice(0, from) + input.slice(to);
    case 1:
      return input.slice(0, to) + piece + input.slice(to);
    case 2:
      return input.slice(0, from) + pick(words) + input.slice(from);
    case 3:
      return input.slice(0, from) + pick(interesting) + input.slice(to);
    case 4:
      return (
        input.slice(0, from) +
        String.fromCharCode(roll(roll(2) === 0 ? 128 : 65_536)) +
        input.slice(from + 1)
      );
    case 5:
      return input.slice(0, from) + other.slice(roll(other.length + 1));
    default:
      return (
        withAnotherValue(
          input,
          [...interesting, ...words.map((word) => JSON.stringify(word)), piece],
          roll,
        ) ?? input
      );
  }
}

/** The JSON with one of its values or names replaced; undefined if it is not JSON. */
function withAnotherValue(
  input: string,
  values: readonly string[],
  roll: Dice,
): string | undefined {
  let root: unknown;
  try {
    root = JSON.parse(input);
  } catch {
    return undefined;
  }
  const holders: { in: Record<string, unknown>; key: string }[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 20) return;
    for (const key of Object.keys(value)) {
      holders.push({ in: value as Record<string, unknown>, key });
      visit((value as Record<string, unknown>)[key], depth + 1);
    }
  };
  visit(root, 0);
  const holder = holders[roll(Math.max(holders.length, 1))];
  if (holder === undefined) return values[roll(values.length)];
  try {
    const value = JSON.parse(values[roll(values.length)]!) as unknown;
    const key = roll(5) === 0 && !Array.isArray(holder.in) ? String(value) : holder.key;
    Object.defineProperty(holder.in, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } catch {
    delete holder.in[holder.key];
  }
  return JSON.stringify(root);
}
