interface Link {
  readonly before: number;
  readonly after: number;
  readonly next: Link | undefined;
}

/**
 * Pairs the equal items of two lists without crossing: a longest common subsequence, by index in
 * `after`. Of equal items the later one is taken, because what is cut from a conversation is mostly
 * its beginning.
 */
export function align(before: readonly string[], after: readonly string[]): Map<number, number> {
  const pairs = new Map<number, number>();
  let beforeEnd = before.length;
  let afterEnd = after.length;
  while (beforeEnd > 0 && afterEnd > 0 && before[beforeEnd - 1] === after[afterEnd - 1])
    pairs.set(--afterEnd, --beforeEnd);
  let start = 0;
  while (start < Math.min(beforeEnd, afterEnd) && before[start] === after[start]) {
    pairs.set(start, start);
    start += 1;
  }

  const places = new Map<string, number[]>();
  for (let index = start; index < beforeEnd; index++) {
    const known = places.get(before[index]!);
    if (known === undefined) places.set(before[index]!, [index]);
    else known.push(index);
  }
  // longest[n] begins the common tail of n + 1 items that begins last; so their places fall as n rises.
  const longest: Link[] = [];
  for (let index = afterEnd - 1; index >= start; index--)
    for (const place of places.get(after[index]!) ?? []) {
      const length = countAfter(longest, place);
      longest[length] = { before: place, after: index, next: longest[length - 1] };
    }
  for (let link = longest.at(-1); link; link = link.next) pairs.set(link.after, link.before);
  return pairs;
}

/** How many of the links lie after a place; they are sorted, the last place first. */
function countAfter(links: readonly Link[], place: number): number {
  let low = 0;
  let high = links.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (links[middle]!.before > place) low = middle + 1;
    else high = middle;
  }
  return low;
}
