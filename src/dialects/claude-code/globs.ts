/** Whether a text is what a pattern says in which `*` stands for any text; no pattern takes long. */
export const matchesText = (pattern: string, text: string): boolean =>
  matches(pattern.split(''), text.split(''), '*', (wanted, given) => wanted === given);

/** Whether a path is what a pattern says: `*` and `?` within a name, `**` for any folders; a folder with all in it. */
export const matchesPath = (pattern: string, path: string): boolean =>
  matches([...namesIn(pattern), '**'], namesIn(path), '**', (wanted, name) =>
    matches(wanted.split(''), name.split(''), '*', (one, other) => one === other || one === '?'),
  );

const namesIn = (path: string): string[] => path.split('/').filter(Boolean);

/** Goes back no further than to the last part that stands for any others, which is far enough. */
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
