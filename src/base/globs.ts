/** Whether a text matches a pattern in which `*` stands for any text; no pattern takes long to match. */
export const matchesText = (pattern: string, text: string): boolean =>
  matches(pattern.split(''), text.split(''), '*', (wanted, given) => wanted === given);

/**
 * Whether a path matches a pattern: `*` and `?` match within a name, `**` matches any folders, and a
 * folder includes everything in it.
 */
export const matchesPath = (pattern: string, path: string): boolean =>
  matches([...namesIn(pattern), '**'], namesIn(path), '**', (wanted, name) =>
    matches(wanted.split(''), name.split(''), '*', (one, other) => one === other || one === '?'),
  );

const namesIn = (path: string): string[] => path.split('/').filter(Boolean);

/** Backtracks no further than to the last wildcard, which is far enough. */
function matches(
  wanted: readonly string[],
  given: readonly string[],
  any: string,
  fits: (wanted: string, given: string) => boolean,
): boolean {
  let [at, back, taken] = [0, -1, 0];
  for (let next = 0; next < given.length;) {
    if (at < wanted.length && wanted[at] === any) {
      back = at++;
      taken = next;
    } else if (at < wanted.length && fits(wanted[at]!, given[next]!)) {
      at++;
      next++;
    } else if (back === -1) return false;
    else {
      at = back + 1;
      next = ++taken;
    }
  }
  return wanted.slice(at).every((part) => part === any);
}
